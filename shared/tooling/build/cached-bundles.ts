import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { cacheFolder, currentFolder } from '../programs.mjs';
import { type Bundle, bundleAll, type Platform } from './bundles.ts';
import { buildOnce } from './cache.ts';

/**
 * Returns the bundles of all modules, which must not be changed. They are built once per state of the sources, because
 * a build takes several seconds of all processors.
 */
export async function cachedBundles(platform: Platform): Promise<Bundle[]> {
  const folder = join(cacheFolder, 'modules', `${basename(currentFolder())}-${platform}`);
  await buildOnce(folder, async (part) => {
    const bundles = await bundleAll(platform, part);
    await writeFile(join(part, 'bundles.json'), JSON.stringify(bundles));
  });
  const bundles: Bundle[] = JSON.parse(await readFile(join(folder, 'bundles.json'), 'utf8'));
  return bundles.map((bundle) => ({ ...bundle, file: join(folder, platform, basename(bundle.file)) }));
}
