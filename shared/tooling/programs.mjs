/**
 * Bundles of the programs that start most often, in a folder that is named after the state of the sources. Loading one
 * file takes a quarter of the time and half of the memory of loading 600. Must only import what Node 20 has.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Paths from the root. Other programs run from their sources. */
export const bundledPrograms = [
  'functions/all.ts',
  'functions/health/main.ts',
  'shared/tooling/admin/admin.ts',
  'shared/tooling/deploy/deploy.ts',
  'shared/tooling/embedded/worker.ts',
  'shared/tooling/migrate.ts',
  'shared/tooling/workers/workers.ts',
];

const sources = ['db', 'functions', 'shared'];

/** Results of builds from the sources. The folder can be deleted while no program runs. */
export const cacheFolder = join(root, 'node_modules', '.cache', 'aggregator');

/**
 * The folder of the bundles of the current sources. It changes with the time or size of any source file.
 * @returns {string}
 */
export function currentFolder() {
  const hash = createHash('sha256').update(root);
  for (const path of ['package-lock.json', ...sources.flatMap(filesBelow)]) {
    // A temporary file of an editor can be deleted meanwhile.
    const found = statSync(join(root, path), { throwIfNoEntry: false });
    if (found) hash.update(`${path} ${found.size} ${found.mtimeMs}\n`);
  }
  return join(cacheFolder, 'programs', hash.digest('hex').slice(0, 16));
}

/**
 * The bundle of a program, which exists after the build. Undefined if the program runs from its sources.
 * @param {string} program
 * @param {string} folder
 * @returns {string | undefined}
 */
export function bundleOf(program, folder) {
  return bundledPrograms.includes(program) ? join(folder, program.replace(/\.ts$/, '.mjs')) : undefined;
}

/**
 * True if the folder is built. It is complete or absent at any time.
 * @param {string} folder
 */
export const isBuilt = (folder) => existsSync(folder);

/**
 * @param {string} folder
 * @returns {string[]}
 */
function filesBelow(folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.md'))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(root.length))
    .sort();
}
