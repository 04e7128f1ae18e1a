import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './bundles.ts';
import { orEnd } from './fatal.ts';

/**
 * Compiles the typed client to what `aggregator-portal/client` names in package.json: modules and their types, which
 * import nothing besides.
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
}

if (import.meta.main) await orEnd(() => buildClient());
