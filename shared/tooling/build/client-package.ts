import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import manifest from '../../../package.json' with { type: 'json' };
import { orEnd } from '../start/fatal.ts';
import { root } from './bundles.ts';

/**
 * Compiles the typed client to what `aggregator-portal/client` names in package.json: modules and their types, which
 * import nothing besides, so that the folder is a package of its own as well.
 * @throws Error with what the compiler said
 */
export async function buildClient(folder = join(root, 'dist', 'client')): Promise<void> {
  const settings = [
    ...['--ignoreConfig', '--strict', '--skipLibCheck', '--declaration', '--rewriteRelativeImportExtensions'],
    ...['--target', 'es2024', '--lib', 'es2024,dom,dom.iterable', '--module', 'nodenext', '--types', ''],
    ...['--rootDir', join(root, 'shared', 'client'), '--outDir', folder],
  ];
  const entry = join(root, 'shared', 'client', 'portal-client.ts');
  await promisify(execFile)(join(root, 'node_modules', '.bin', 'tsc'), [...settings, entry], { cwd: root });
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(clientManifest, null, 2)}\n`);
}

const { name, version, description, license, type, engines } = manifest;
/** Without what the portal depends on: whoever installs the client must not get some 90 packages with it. */
const clientManifest = {
  ...{ name, version, description, license, type, engines },
  exports: { './client': { types: './portal-client.d.ts', default: './portal-client.js' } },
};

if (import.meta.main) await orEnd(() => buildClient());
