import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';
import type { ModuleName } from '../../modules.ts';
import { writeAssets } from './asset-files.ts';
import { usedTexts, withoutTexts } from './plugins/used-texts.ts';
import { withoutAttestation } from './plugins/without-attestation.ts';
import { withoutDescriptions } from './plugins/without-descriptions.ts';
import { withoutConnectionTests, withoutFormTexts } from './plugins/without-form-texts.ts';
import { withoutProviderRules, withoutProviderShapes } from './plugins/without-provider-settings.ts';

export type Platform = 'workers' | 'lambda';

/** A bundled module for one platform; sizes in bytes. */
export type Bundle = {
  module: EdgeModule;
  platform: Platform;
  file: string;
  bytes: number;
  gzipBytes: number;
  metafile: Metafile;
};

export const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Modules with separate deployment. `health` is a process, because it monitors its host. */
export const edgeModules = [
  'agent',
  'aggregator',
  'auth',
  'client',
  'console',
  'discover',
  'federation',
  'home',
  'ssa',
  'userinfo',
  'webui',
  'wsproxy',
] as const satisfies readonly ModuleName[];
export type EdgeModule = (typeof edgeModules)[number];

/**
 * Bundles modules for a platform into `<folder>/<platform>/`.
 * @throws Error if a bundle fails; esbuild writes the reason to standard error
 */
export async function bundleAll(
  platform: Platform,
  folder = join(root, 'dist'),
  modules: readonly EdgeModule[] = edgeModules,
): Promise<Bundle[]> {
  const place = join(folder, platform);
  const bundles = await Promise.all(modules.map((module) => bundleOne(module, platform, place)));
  // Assets of Workers are uploaded separately; a Lambda function reads them from its own folder.
  await writeAssets(join(place, 'assets'));
  return bundles;
}

async function bundleOne(module: EdgeModule, platform: Platform, folder: string): Promise<Bundle> {
  const { entry, extension } = kinds[platform];
  const file = join(folder, `${module}${extension}`);
  const source = join('functions', module, entry);
  const plugins = trimmed(module);
  const code = await codeOf(source, platform, [withoutTexts, ...plugins]);
  const metafile = await bundleEntry(source, platform, file, [usedTexts(code), ...plugins]);
  const text = await readFile(file);
  const gzipBytes = gzipSync(text, { level: 9 }).length;
  return { module, platform, file, bytes: text.length, gzipBytes, metafile };
}

/** Administration has forms of domains and tests of connections; only the module federation reads settings of providers besides. */
const trimmed = (module: EdgeModule): Plugin[] => {
  if (module === 'webui') return [];
  const common = [withoutFormTexts, withoutConnectionTests, withoutProviderRules];
  return module === 'federation' ? common : [...common, withoutProviderShapes];
};

/** The code of a bundle as it would be written. */
async function codeOf(entry: string, platform: Platform, further: readonly Plugin[]): Promise<string> {
  const { outputFiles } = await build({ ...optionsOf(entry, platform, further), write: false });
  return outputFiles.map(({ text }) => text).join('\n');
}

/** Bundles one file (path relative to the root) with the options of modules. */
export async function bundleEntry(
  entry: string,
  platform: Platform,
  outfile: string,
  further: readonly Plugin[] = [],
): Promise<Metafile> {
  const { metafile } = await build({ ...optionsOf(entry, platform, further), outfile, metafile: true });
  return metafile;
}

function optionsOf(entry: string, platform: Platform, further: readonly Plugin[]) {
  const { options } = kinds[platform];
  return {
    ...options,
    plugins: [...further, ...(options.plugins ?? [])],
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    format: 'esm',
    minify: true,
    charset: 'utf8',
    logLevel: 'warning',
    define: { 'process.env.NODE_ENV': '"production"' },
  } as const satisfies BuildOptions;
}

/**
 * Removes parts of zod that are unused but not tree-shaken, because its namespace object refers to them: fifty
 * locales, half of a bundle, and the JSON Schema parser.
 */
export const smallZod: Plugin = {
  name: 'zod in English, without the JSON Schema parser',
  setup: ({ onLoad }) => {
    onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: 'export { default as en } from "./en.js"',
    }));
    onLoad({ filter: /zod\/v4\/classic\/from-json-schema\.js$/ }, () => ({
      contents: 'export const fromJSONSchema = undefined',
    }));
  },
};

/** With `nodejs_compat` the runtime provides these modules. Packages may import them without the prefix. */
const builtinsOutside: Plugin = {
  name: 'external runtime modules',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^[^./]/ }, ({ path }) =>
      isBuiltin(path) ? { path: path.startsWith('node:') ? path : `node:${path}`, external: true } : null,
    ),
};

/** CommonJS packages call `require`, which ES modules do not have; in a bundle only for modules of Node. */
export const requireBanner =
  "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom('/');";

type Kind = { entry: string; extension: string; options: BuildOptions };

const kinds: Record<Platform, Kind> = {
  workers: {
    entry: 'worker.ts',
    extension: '.js',
    options: {
      platform: 'browser',
      target: 'es2024',
      // The resolve conditions of wrangler's bundler.
      conditions: ['workerd', 'worker', 'browser'],
      external: ['cloudflare:sockets'],
      plugins: [smallZod, builtinsOutside, withoutDescriptions, withoutAttestation],
    },
  },
  lambda: {
    entry: 'lambda.ts',
    extension: '.mjs',
    options: {
      platform: 'node',
      target: 'node20',
      external: ['pg-native'],
      plugins: [smallZod, withoutDescriptions, withoutAttestation],
      banner: { js: requireBanner },
    },
  },
};
