import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** The files of a checkout after a commit of all changes, relative to it. */
export async function gitFiles(folder: string): Promise<string[]> {
  const list = async (...which: string[]) =>
    (
      await promisify(execFile)('git', ['ls-files', '-z', ...which], { cwd: folder, maxBuffer: 2 ** 24 })
    ).stdout
      .split('\0')
      .filter((name) => name !== '');
  const [all, deleted] = [await list('--cached', '--others', '--exclude-standard'), await list('--deleted')];
  return all.filter((name) => !deleted.includes(name));
}
