import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';
import type { ModuleName } from '../../modules.ts';
import { writeAssets } from './asset-files.ts';
import { withoutDescriptions } from './without-descriptions.ts';
import { withoutFormWords } from './without-form-words.ts';

export type Platform = 'workers' | 'lambda';

/** One module made ready for one platform; sizes are bytes, `metafile` says what went in. */
export type Bundle = {
  module: EdgeModule;
  platform: Platform;
  file: string;
  bytes: number;
  gzipBytes: number;
  metafile: Metafile;
};

export const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The modules that are deployed by themselves; health is a process, because it watches the system it runs on. */
export const edgeModules = [
  'agent',
  'aggregator',
  'auth',
  'client',
  'discover',
  'ssa',
  'userinfo',
  'webui',
  'wsproxy',
] as const satisfies readonly ModuleName[];
export type EdgeModule = (typeof edgeModules)[number];

/**
 * Bundles every module for a platform into `<folder>/<platform>/`.
 * @throws Error when something cannot be bundled; esbuild has said why on standard error
 */
export async function bundleAll(platform: Platform, folder = join(root, 'dist')): Promise<Bundle[]> {
  const place = join(folder, platform);
  const bundles = await Promise.all(edgeModules.map((module) => bundleOne(module, platform, place)));
  // A Worker has its assets uploaded apart; a Lambda function finds them beside itself.
  await writeAssets(join(place, 'assets'));
  return bundles;
}

async function bundleOne(module: EdgeModule, platform: Platform, folder: string): Promise<Bundle> {
  const { entry, extension } = kinds[platform];
  const file = join(folder, `${module}${extension}`);
  const metafile = await bundleEntry(join('functions', module, entry), platform, file, trimmed(module));
  const text = await readFile(file);
  const gzipBytes = gzipSync(text, { level: 9 }).length;
  return { module, platform, file, bytes: text.length, gzipBytes, metafile };
}

/** The console shows the forms of domains; no other module does. */
const trimmed = (module: EdgeModule): Plugin[] => (module === 'webui' ? [] : [withoutFormWords]);

/** Bundles one file (its path as seen from the root) as all modules are bundled. */
export async function bundleEntry(
  entry: string,
  platform: Platform,
  outfile: string,
  further: readonly Plugin[] = [],
): Promise<Metafile> {
  const { options } = kinds[platform];
  const { metafile } = await build({
    ...options,
    plugins: [...further, ...(options.plugins ?? [])],
    absWorkingDir: root,
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: 'esm',
    minify: true,
    metafile: true,
    logLevel: 'warning',
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  return metafile;
}

/**
 * Leaves out of zod what no module uses and its namespace object keeps from being dropped: its other fifty languages, half
 * of a bundle, and the reader of JSON Schema.
 */
const smallZod: Plugin = {
  name: 'zod in English, without the reader of JSON Schema',
  setup: ({ onLoad }) => {
    onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: 'export { default as en } from "./en.js"',
    }));
    onLoad({ filter: /zod\/v4\/classic\/from-json-schema\.js$/ }, () => ({
      contents: 'export const fromJSONSchema = undefined',
    }));
  },
};

/** Under `nodejs_compat` the runtime has these modules; packages also name them without their prefix. */
const builtinsOutside: Plugin = {
  name: 'what the runtime has stays outside',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^[^./]/ }, ({ path }) =>
      isBuiltin(path) ? { path: path.startsWith('node:') ? path : `node:${path}`, external: true } : null,
    ),
};

/** Packages of the older module format call `require`, which a module does not have by itself. */
const requireBanner =
  "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);";

type Kind = { entry: string; extension: string; options: BuildOptions };

const kinds: Record<Platform, Kind> = {
  workers: {
    entry: 'worker.ts',
    extension: '.js',
    options: {
      platform: 'browser',
      target: 'es2024',
      // As wrangler's own bundler looks things up.
      conditions: ['workerd', 'worker', 'browser'],
      external: ['cloudflare:sockets'],
      plugins: [smallZod, builtinsOutside, withoutDescriptions],
    },
  },
  lambda: {
    entry: 'lambda.ts',
    extension: '.mjs',
    options: {
      platform: 'node',
      target: 'node20',
      external: ['pg-native'],
      plugins: [smallZod, withoutDescriptions],
      banner: { js: requireBanner },
    },
  },
};
