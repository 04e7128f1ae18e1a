import { basename, join } from 'node:path';
import { cacheFolder, currentFolder } from '../programs.mjs';
import { buildOnce } from './cache.ts';

/**
 * The folder with the browser code of the pages, built from the current sources.
 * @param state folder of the bundles of the sources, if it is known
 */
export const builtWebPages = (state = currentFolder()): Promise<string> =>
  buildOnce(join(cacheFolder, 'web', basename(state)), async (part) => {
    // The compilers are needed only if the sources have changed.
    const { buildWebPages } = await import('./web-pages.ts');
    await buildWebPages(part);
  });
