import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { bundledPrograms, bundleOf, currentFolder, isBuilt, root } from '../programs.mjs';
import { orEnd } from '../start/fatal.ts';
import { requireBanner, smallZod } from './bundles.ts';

/** A running process may still load parts of a bundle whose sources have changed. */
const keptResults = 4;
const longestBuildMs = 10 * 60_000;

/**
 * Bundles the programs with their packages into the folder for the current sources, if they are not there.
 */
export async function buildPrograms(): Promise<string> {
  const folder = currentFolder();
  if (isBuilt(folder)) return folder;
  await prepareCache(dirname(folder));
  const part = `${folder}.${process.pid}.part`;
  await build({
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
  // Fails if another process was faster.
  await rename(part, folder).catch((error) => {
    if (!isBuilt(folder)) throw error;
    return rm(part, { recursive: true });
  });
  return folder;
}

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

/** Creates a folder for results of builds. Deletes all but the last results, and what killed builds left. */
export async function prepareCache(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const names = await readdir(folder);
  const results = await Promise.all(names.map((name) => ageOf(join(folder, name))));
  const isPart = ({ path }: { path: string }) => path.endsWith('.part');
  const complete = results.filter((result) => !isPart(result)).sort((a, b) => a.ageMs - b.ageMs);
  const parts = results.filter(isPart);
  const outdated = [
    ...complete.slice(keptResults - 1),
    ...parts.filter(({ ageMs }) => ageMs > longestBuildMs),
  ];
  for (const { path } of outdated) await rm(path, { recursive: true, force: true });
}

/** The age is 0 if another process has just renamed or deleted the result. */
async function ageOf(path: string): Promise<{ path: string; ageMs: number }> {
  const found = await stat(path).catch(() => undefined);
  return { path, ageMs: found ? Date.now() - found.mtimeMs : 0 };
}

if (import.meta.main) await orEnd(async () => void (await buildPrograms()));
