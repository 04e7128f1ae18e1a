import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** SHA-256 of the content of each file, by its path from the root. */
export type Digests = Readonly<Record<string, string>>;

/** The files of the tree that git does not ignore. */
export async function digestsOf(root: string): Promise<Digests> {
  const { stdout } = await promisify(execFile)(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    { cwd: root, maxBuffer: 2 ** 26 },
  );
  const paths = [...new Set(stdout.split('\0').filter((path) => path !== ''))].sort();
  const entries = await Promise.all(
    paths.map(async (path) => [path, await digestOf(join(root, path))] as const),
  );
  return Object.fromEntries(entries.flatMap(([path, digest]) => (digest ? [[path, digest]] : [])));
}

/** Undefined for a file that is deleted, which git lists until the commit. */
async function digestOf(path: string): Promise<string | undefined> {
  try {
    return createHash('sha256')
      .update(await readFile(path))
      .digest('hex');
  } catch {
    return undefined;
  }
}

/** The paths that were added, changed or deleted. */
export const differing = (before: Digests, after: Digests): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((path) => before[path] !== after[path])
    .sort();

export const only = (digests: Digests, reads: (path: string) => boolean): Digests =>
  Object.fromEntries(Object.entries(digests).filter(([path]) => reads(path)));
