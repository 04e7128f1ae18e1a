import { existsSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { cacheFolder, currentFolder } from '../programs.mjs';
import { type Bundle, bundleAll, type Platform } from './bundles.ts';
import { prepareCache } from './programs.ts';

/**
 * Returns the bundles of all modules, which must not be changed. They are built once per state of the sources, because
 * a build takes several seconds of all processors.
 */
export async function cachedBundles(platform: Platform): Promise<Bundle[]> {
  const folder = join(cacheFolder, 'modules', `${basename(currentFolder())}-${platform}`);
  if (!existsSync(folder)) await buildInto(folder, platform);
  const bundles: Bundle[] = JSON.parse(await readFile(join(folder, 'bundles.json'), 'utf8'));
  return bundles.map((bundle) => ({ ...bundle, file: join(folder, platform, basename(bundle.file)) }));
}

/** The folder is complete or absent at any time. */
async function buildInto(folder: string, platform: Platform): Promise<void> {
  await prepareCache(join(folder, '..'));
  const part = `${folder}.${process.pid}.part`;
  const bundles = await bundleAll(platform, part);
  await writeFile(join(part, 'bundles.json'), JSON.stringify(bundles));
  // Fails if another process was faster.
  await rename(part, folder).catch((error) => {
    if (!existsSync(folder)) throw error;
    return rm(part, { recursive: true });
  });
}
