import { basename, join } from 'node:path';
import { cacheFolder, currentFolder } from '../programs.mjs';
import { buildOnce } from './cache.ts';

/** `WEB_SOURCE_MAPS=1`: for runs of tests that record which sources a page executes. */
const hasSourceMaps = (): boolean => process.env.WEB_SOURCE_MAPS === '1';

/**
 * The folder with the browser code of the pages, built from the current sources.
 * @param state folder of the bundles of the sources, if it is known
 */
export function builtWebPages(state = currentFolder()): Promise<string> {
  const sourceMaps = hasSourceMaps();
  const name = `${basename(state)}${sourceMaps ? '-maps' : ''}`;
  return buildOnce(join(cacheFolder, 'web', name), async (part) => {
    // The compilers are needed only if the sources have changed.
    const { buildWebPages } = await import('./web-pages.ts');
    await buildWebPages(part, { sourceMaps });
  });
}
