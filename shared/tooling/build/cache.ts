import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** A running process may still load parts of a bundle whose sources have changed. */
const keptResults = 4;
const longestBuildMs = 10 * 60_000;

/**
 * Fills a folder for results of builds, if it does not exist. It is complete or absent at any time.
 * @param build gets a folder to fill, which is then renamed
 */
export async function buildOnce(folder: string, build: (part: string) => Promise<unknown>): Promise<string> {
  if (existsSync(folder)) return folder;
  await prepareCache(dirname(folder));
  const part = `${folder}.${process.pid}.part`;
  await build(part);
  // Fails if another process was faster.
  await rename(part, folder).catch((error) => {
    if (!existsSync(folder)) throw error;
    return rm(part, { recursive: true });
  });
  return folder;
}

/** Creates a folder for results of builds. Deletes all but the last results, and what killed builds left. */
async function prepareCache(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const names = await readdir(folder);
  const results = await Promise.all(names.map((name) => ageOf(join(folder, name))));
  const isPart = ({ path }: { path: string }) => path.endsWith('.part');
  const complete = results.filter((result) => !isPart(result)).sort((a, b) => a.ageMs - b.ageMs);
  const parts = results.filter(isPart);
  const outdated = [
    ...complete.slice(keptResults - 1),
    ...parts.filter(({ ageMs }) => ageMs > longestBuildMs),
  ];
  for (const { path } of outdated) await rm(path, { recursive: true, force: true });
}

/** The age is 0 if another process has just renamed or deleted the result. */
async function ageOf(path: string): Promise<{ path: string; ageMs: number }> {
  const found = await stat(path).catch(() => undefined);
  return { path, ageMs: found ? Date.now() - found.mtimeMs : 0 };
}
