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
 * The last commit before a change of the schema, whose own migrations are the first of those here: what may be in
 * production when this tree is deployed. Undefined where the history does not go back that far.
 */
export function beforeLastMigration(): string | undefined {
  const changes = git('log', '--first-parent', '--format=%H', '--', 'db/migrations')?.split('\n') ?? [];
  const here = entriesIn(readFileSync(join(root, journal), 'utf8'));
  return changes
    .map((change) => `${change}^1`)
    .find((commit) => {
      const then = entriesIn(git('show', `${commit}:${journal}`));
      return then.length > 0 && then.length < here.length && then.every((entry, at) => entry === here[at]);
    });
}

const journal = 'db/migrations/meta/_journal.json';

/** Name and moment of each migration, by which a database knows them. */
const entriesIn = (text = '{"entries":[]}'): string[] =>
  JSON.parse(text).entries.map(({ tag, when }: { tag: string; when: number }) => `${when} ${tag}`);

/** Puts the tree of a commit into a folder, with the packages that are installed here. */
export function checkOut(commit: string, folder: string): void {
  const archive = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
}
