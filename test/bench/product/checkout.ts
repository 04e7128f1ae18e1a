import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../../e2e/support/portal-process.ts';

const run = promisify(execFile);

/** A folder with another version of the project. `remove` deletes it, unless it existed before. */
export type Checkout = { folder: string; remove(): Promise<void> };

/**
 * @param reference a folder with a checkout, or a commit of this repository, of which a temporary copy is made
 * @throws Error if it is neither
 */
export async function otherCheckout(reference: string): Promise<Checkout> {
  if (existsSync(join(reference, 'package.json')))
    return { folder: resolve(reference), remove: () => Promise.resolve() };
  // Beside the packages, which can be linked within one file system only. Git ignores the folder.
  const folder = await mkdtemp(join(root, '.data-checkout-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const archive = join(folder, 'archive.tar');
    await run('git', ['archive', '--output', archive, reference], { cwd: root });
    await run('tar', ['-xf', archive], { cwd: folder });
    await linkPackages(folder);
    return { folder, remove };
  } catch (cause) {
    await remove();
    throw new Error(`${reference} is neither a checkout nor a commit`, { cause });
  }
}

/** Links the installed packages. The launcher of the checkout installs others, if its lock file differs. */
async function linkPackages(folder: string): Promise<void> {
  const [own, other] = [join(root, 'package-lock.json'), join(folder, 'package-lock.json')];
  if ((await readFile(own, 'utf8')) !== (await readFile(other, 'utf8'))) return;
  const from = join(root, 'node_modules');
  const entries = (await readdir(from)).filter((name) => name !== '.cache');
  await mkdir(join(folder, 'node_modules'));
  await run('cp', ['-al', ...entries.map((name) => join(from, name)), join(folder, 'node_modules')]);
  // The launcher compares the times of the installation and of the lock file.
  await utimes(other, 0, 0);
}
