import { fileURLToPath } from 'node:url';

/** What runs of tests keep for later ones. It can be deleted at any time, and is not in `node_modules`, which `npm ci` empties. */
export const testCache = fileURLToPath(new URL('../../../.cache/test', import.meta.url));
