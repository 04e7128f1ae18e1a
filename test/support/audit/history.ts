import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readSqlFiles, readStamp, stampPath } from '../../../db/migrator/files.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

const git = (...args: string[]): string | undefined => {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
};

/** Whether the commit of this tree can be checked out. */
export const hasHistory = (): boolean => git('rev-parse', 'HEAD') !== undefined;

/**
 * The last commit with an older schema, from which this tree upgrades: its migrations are the first of those here, and its
 * `db/sql` is not newer. Undefined as long as nothing has changed since the first migration.
 */
export function olderSchema(): string | undefined {
  const changes = git('log', '--first-parent', '--format=%H', '--', 'db/migrations', 'db/sql');
  return (changes?.split('\n') ?? []).map((change) => `${change}^1`).find(isOlder);
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

function isOlder(commit: string): boolean {
  const [journalText, stampText] = [git('show', `${commit}:${journal}`), git('show', `${commit}:${stamp}`)];
  if (journalText === undefined || stampText === undefined) return false;
  const [then, here] = [schemaFrom(journalText, stampText), schemaOf(root)];
  return (
    then.migrations.every((migration, at) => migration === here.migrations[at]) &&
    then.stampedAt <= here.stampedAt &&
    (then.stampedAt < here.stampedAt || then.migrations.length < here.migrations.length)
  );
}

/** Marks every file of `db/sql` of a tree as older, so that an upgrade from it applies all of them again. */
export async function makeSqlOlder(folder: string): Promise<void> {
  const db = join(folder, 'db');
  for (const { name } of readSqlFiles(db)) await appendFile(join(db, 'sql', name), '\n-- older\n');
  const { when, digest } = readStamp(db);
  await writeFile(stampPath(db), JSON.stringify({ when: when - 1, digest }));
}

/** Writes the tree of a commit to a folder, with the packages that are installed here. */
export function checkOut(commit: string, folder: string): void {
  const archive = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
}
