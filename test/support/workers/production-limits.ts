import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import type { Bundle } from '../../../shared/tooling/build/bundles.ts';

const guard = fileURLToPath(new URL('./production-limits-guard.ts', import.meta.url));
const guardedCrypto = fileURLToPath(new URL('./guarded-crypto.ts', import.meta.url));

/**
 * The bundles of Workers behind a guard with the limits that production has and local workerd lacks. Each is the
 * deployed file, except for the import of `node:crypto`.
 */
export async function guardBundles(bundles: readonly Bundle[], folder: string): Promise<Bundle[]> {
  await mkdir(folder, { recursive: true });
  return Promise.all(bundles.map((bundle) => guardBundle(bundle, folder)));
}

async function guardBundle(bundle: Bundle, folder: string): Promise<Bundle> {
  const file = join(folder, `${bundle.module}.js`);
  const contents = [
    // Evaluated first: globals that the bundle reads when it is loaded are guarded already.
    `import { guarded } from ${JSON.stringify(guard)};`,
    `import entry from ${JSON.stringify(bundle.file)};`,
    'export default guarded(entry);',
  ].join('\n');
  await build({
    stdin: { contents, resolveDir: folder },
    outfile: file,
    bundle: true,
    external: ['cloudflare:sockets'],
    format: 'esm',
    target: 'es2024',
    logLevel: 'warning',
    plugins: [cryptoThroughGuard],
  });
  return { ...bundle, file };
}

const cryptoThroughGuard: Plugin = {
  name: 'node:crypto goes through the guard',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^node:/ }, ({ path, importer }) =>
      path === 'node:crypto' && importer !== guardedCrypto
        ? { path: guardedCrypto }
        : { path, external: true },
    ),
};
