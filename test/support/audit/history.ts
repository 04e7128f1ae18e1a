import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));

const git = (...args: string[]): string | undefined => {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
};

/**
 * The last commit with an older schema, from which this tree upgrades: its migrations are the first of those here, and its
 * `db/sql` is not newer. Undefined without the history of the tree, and as long as the schema has not changed since the
 * first migration.
 */
export function olderSchema(): string | undefined {
  const here = schemaOf(root);
  const changes = git('log', '--first-parent', '--format=%H', '--', 'db/migrations', 'db/sql');
  for (const change of changes?.split('\n') ?? []) {
    const then = schemaAt(`${change}^1`);
    // Before the first migration, there is another history.
    if (!then || then.migrations[0] !== here.migrations[0]) return undefined;
    if (isOlder(then, here)) return `${change}^1`;
  }
  return undefined;
}

/** The last commit with the schema of the frozen installation. Undefined without the history of the tree. */
export function frozenSchema(): string | undefined {
  const changes = git('log', '--format=%H', '--', 'db/migrations', 'db/sql')?.split('\n') ?? [];
  return changes.find((commit) => {
    const schema = schemaAt(commit);
    return schema?.stampedAt === 1_795_684_724_442 && schema.migrations.length === 1;
  });
}

/**
 * The record of a version in a database: name and time of each migration, and the time of the last change of `db/sql`.
 */
type Schema = { migrations: string[]; stampedAt: number };

const journal = 'db/migrations/meta/_journal.json';
const stamp = 'db/sql/stamp.json';

function schemaFrom(journalText: string, stampText: string): Schema {
  const { entries }: { entries: { tag: string; when: number }[] } = JSON.parse(journalText);
  return {
    migrations: entries.map(({ tag, when }) => `${when} ${tag}`),
    stampedAt: JSON.parse(stampText).when,
  };
}

/** The schema of the tree in this folder. */
export const schemaOf = (folder: string): Schema =>
  schemaFrom(readFileSync(join(folder, journal), 'utf8'), readFileSync(join(folder, stamp), 'utf8'));

function schemaAt(commit: string): Schema | undefined {
  const [journalText, stampText] = [git('show', `${commit}:${journal}`), git('show', `${commit}:${stamp}`)];
  if (journalText === undefined || stampText === undefined) return undefined;
  return schemaFrom(journalText, stampText);
}

const isOlder = (then: Schema, here: Schema): boolean =>
  then.migrations.every((migration, at) => migration === here.migrations[at]) &&
  then.stampedAt <= here.stampedAt &&
  (then.stampedAt < here.stampedAt || then.migrations.length < here.migrations.length);

/** Writes the tree of a commit to a folder, with the packages that are installed here. */
export function checkOut(commit: string, folder: string): void {
  const archive = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
}
