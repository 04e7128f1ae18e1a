import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { bundledPrograms, bundleOf, currentFolder, root } from '../programs.mjs';
import { orEnd } from '../start/fatal.ts';
import { requireBanner, smallZod } from './bundles.ts';
import { buildOnce } from './cache.ts';
import { builtWebPages } from './web-folder.ts';

/**
 * Bundles the programs with their packages into the folder for the current sources, if they are not there.
 */
export async function buildPrograms(): Promise<string> {
  const folder = currentFolder();
  const [built] = await Promise.all([
    buildOnce(folder, (part) => bundlePrograms(folder, part)),
    builtWebPages(folder),
  ]);
  return built;
}

/** @param folder of the result @param part the folder to write to */
const bundlePrograms = (folder: string, part: string): Promise<unknown> =>
  build({
    absWorkingDir: root,
    entryPoints: [...bundledPrograms],
    outbase: root,
    outdir: part,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    sourcemap: 'linked',
    sourcesContent: false,
    // V8 keeps the text of a program in memory; 20 MB less for portal and sidecar.
    minifyWhitespace: true,
    external: ['pg-native', ...packagesWithFiles],
    banner: { js: requireBanner },
    plugins: [smallZod, ownPlaces(folder)],
    logLevel: 'warning',
  });

/** They load files beside their modules, or are large and needed by one program only. */
const packagesWithFiles = ['@electric-sql/pglite', 'esbuild', 'miniflare', 'wrangler'];

/**
 * A module that refers to files beside it finds them where its source is. A program that it starts is the bundle of that
 * program.
 */
const ownPlaces = (folder: string): Plugin => ({
  name: 'places of the sources',
  setup: ({ onLoad }) => {
    const within = new RegExp(`^${RegExp.escape(root)}(?!node_modules).*\\.(ts|mjs)$`);
    onLoad({ filter: /\.m?[jt]s$/ }, async ({ path }) => {
      if (!within.test(path)) return undefined;
      const text = await readFile(path, 'utf8');
      if (!text.includes('import.meta.')) return undefined;
      return { contents: placed(text, path, folder), loader: 'ts' };
    });
  },
});

function placed(text: string, path: string, folder: string): string {
  const url = JSON.stringify(pathToFileURL(path).href);
  const isProgram = bundledPrograms.includes(relative(root, path));
  return text
    .replaceAll(/new URL\('([^']+\.ts)', import\.meta\.url\)/g, (_, file: string) => {
      const source = join(dirname(path), file);
      const target = bundleOf(relative(root, source), folder) ?? source;
      return `new URL(${JSON.stringify(pathToFileURL(target).href)})`;
    })
    .replaceAll('import.meta.url', url)
    .replaceAll('import.meta.main', isProgram ? 'import.meta.main' : 'false');
}

if (import.meta.main) await orEnd(async () => void (await buildPrograms()));
