import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

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

const journal = 'db/migrations/meta/_journal.json';
const stamp = 'db/sql/stamp.json';

function isOlder(commit: string): boolean {
  const [then, thenAt] = [
    entriesIn(git('show', `${commit}:${journal}`)),
    whenIn(git('show', `${commit}:${stamp}`)),
  ];
  const [here, hereAt] = [entriesIn(textOf(journal)), whenIn(textOf(stamp))];
  const isUpgradable = then.length > 0 && thenAt > 0 && then.every((entry, at) => entry === here[at]);
  return isUpgradable && thenAt <= hereAt && (thenAt < hereAt || then.length < here.length);
}

const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Name and time of each migration, by which a database records them. */
const entriesIn = (text = '{"entries":[]}'): string[] =>
  JSON.parse(text).entries.map(({ tag, when }: { tag: string; when: number }) => `${when} ${tag}`);

const whenIn = (text = '{"when":0}'): number => JSON.parse(text).when;

/** Puts the tree of a commit into a folder, with the packages that are installed here. */
export function checkOut(commit: string, folder: string): void {
  const archive = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
}
