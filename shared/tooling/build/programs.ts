import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { bundledPrograms, bundleOf, bundlesFolder, currentFolder, isBuilt, root } from '../programs.mjs';
import { orEnd } from '../start/fatal.ts';
import { requireBanner, smallZod } from './bundles.ts';

/** Bundles that running processes may still load parts of. */
const keptFolders = 4;

/**
 * Bundles the programs with their packages into the folder for the current sources, if they are not there. It is
 * complete or absent at any time.
 */
export async function buildPrograms(): Promise<string> {
  const folder = currentFolder();
  if (isBuilt(folder)) return folder;
  await deleteOutdated();
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
    external: ['pg-native', ...packagesWithFiles],
    banner: { js: requireBanner },
    plugins: [smallZod, ownPlaces(folder)],
    logLevel: 'warning',
  });
  await writeFile(join(part, 'complete'), '');
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
    const within = new RegExp(`^${RegExp.escape(root)}(?!node_modules).*\\.ts$`);
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
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

async function deleteOutdated(): Promise<void> {
  await mkdir(bundlesFolder, { recursive: true });
  const names = await readdir(bundlesFolder);
  const folders = await Promise.all(
    names.map(async (name) => ({
      name,
      at: (await stat(join(bundlesFolder, name)).catch(() => undefined))?.mtimeMs ?? 0,
    })),
  );
  const outdated = folders.sort((a, b) => b.at - a.at).slice(keptFolders - 1);
  for (const { name } of outdated)
    await rm(join(bundlesFolder, basename(name)), { recursive: true, force: true });
}

if (import.meta.main) await orEnd(async () => void (await buildPrograms()));
