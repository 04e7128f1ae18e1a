import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import manifest from '../../../package.json' with { type: 'json' };
import { orEnd } from '../start/fatal.ts';
import { root } from './bundles.ts';

/**
 * Compiles the typed client for the export `aggregator-portal/client` in package.json. The modules have no
 * dependencies, so that the folder is also a package.
 * @throws Error with the output of the compiler
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
/**
 * Without the dependencies of the portal, so that an installation of the client does not install some 90 packages.
 */
const clientManifest = {
  ...{ name, version, description, license, type, engines },
  exports: { './client': { types: './portal-client.d.ts', default: './portal-client.js' } },
};

if (import.meta.main) await orEnd(() => buildClient());
