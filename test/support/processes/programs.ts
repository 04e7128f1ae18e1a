import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { bundleOf, currentFolder, isBuilt, root } from '../../../shared/tooling/programs.mjs';

/**
 * Returns the bundle of a program, which is what the launcher runs. It is built if the sources have changed since the
 * last build.
 * @param program path from the root
 */
export function programFile(program: string): string {
  const folder = currentFolder();
  const file = bundleOf(program, folder);
  if (!file) throw new Error(`${program} is not bundled`);
  if (isBuilt(folder)) return file;
  const { status } = spawnSync(process.execPath, [join(root, 'shared/tooling/build/programs.ts')], {
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error(`The build of the programs ended with ${status}`);
  return file;
}
