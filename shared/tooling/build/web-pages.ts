import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';
import {
  filesOf,
  type OfflineFiles,
  type WebPage,
  type WebPageName,
  type WebPages,
  webPageNames,
  webPages,
  webPagesName,
} from '../../http/pages/web-pages.ts';
import { sha256 } from '../../kernel/crypto/digests.ts';
import { type Language, languages } from '../../messages/languages.ts';
import { root } from '../programs.mjs';
import { recordCatalogue } from './record-catalogue.ts';

const require = createRequire(import.meta.url);
// The types of the package describe ES modules, but Node loads CommonJS.
const MessageFormat: typeof import('@messageformat/core').default = require('@messageformat/core');
const compileModule: typeof import('@messageformat/core/lib/compile-module.js').default = require('@messageformat/core/compile-module.js');

export type WebOptions = {
  /** Writes source maps beside the scripts, which do not refer to them. */
  sourceMaps?: boolean;
};

/** Builds the browser code of all pages into a folder. The names of files contain digests of their contents. */
export async function buildWebPages(folder: string, options: WebOptions = {}): Promise<WebPages> {
  await mkdir(folder, { recursive: true });
  const entries = webPageNames.map(async (name) => [name, await buildPage(name, folder, options)] as const);
  const pages = Object.fromEntries(await Promise.all(entries)) as WebPages;
  await writeFile(join(folder, webPagesName), JSON.stringify(pages));
  return pages;
}

async function buildPage(name: WebPageName, folder: string, { sourceMaps }: WebOptions): Promise<WebPage> {
  const { code, isInstallable, hasRecords, hasAreas, hasAccount } = webPages[name];
  const catalogues = [
    ...[...ofAllPages, `pages/${name}`],
    ...(hasAccount ? ['pages/account'] : []),
    ...(hasAreas ? await areasOf(name) : []),
  ];
  const page = await buildParts({ name, code, catalogues, sourceMaps }, folder);
  if (hasRecords) return { ...page, records: await buildRecords(name, folder) };
  return isInstallable ? { ...page, offline: await buildOffline(name, page, folder) } : page;
}

/** The catalogue of the record kinds in each language, as a module that the page loads with the first records. */
async function buildRecords(name: WebPageName, folder: string): Promise<Record<Language, string>> {
  const files = languages.map(async (language) => {
    const catalogue = JSON.stringify(await recordCatalogue(language));
    const built = await bundle({
      stdin: { contents: `export default JSON.parse(${JSON.stringify(catalogue)});`, resolveDir: root },
      entryNames: `${name}-records-${language}-[hash]`,
      outdir: folder,
    });
    return [language, outputOf(built, '.js')] as const;
  });
  return Object.fromEntries(await Promise.all(files)) as Record<Language, string>;
}

/** Builds the page with every component of `shared/web` in all states. It is not part of a portal. */
export async function buildKit(folder: string): Promise<WebPage> {
  await mkdir(folder, { recursive: true });
  return buildParts({ name: 'kit', code: 'shared/web/kit', catalogues: ofAllPages }, folder);
}

/** Catalogues of texts that each page has. */
const ofAllPages: readonly string[] = ['pages/frame', 'pages/problems'];

/** Catalogues of the areas of a page, in the folder with its name. */
async function areasOf(name: WebPageName): Promise<string[]> {
  const files = await readdir(join(root, 'shared/messages', name));
  return files
    .filter((file) => file.endsWith('.en.json'))
    .map((file) => `${name}/${file.slice(0, -'.en.json'.length)}`);
}

type Parts = { name: string; code: string; catalogues: readonly string[]; sourceMaps?: boolean | undefined };

async function buildParts(
  { name, code, catalogues, sourceMaps = false }: Parts,
  folder: string,
): Promise<WebPage> {
  const [main, ...texts] = await Promise.all([
    bundle({
      entryPoints: [join(code, 'main.tsx')],
      entryNames: `${name}-[hash]`,
      outdir: folder,
      sourcemap: sourceMaps && 'external',
      sourcesContent: false,
    }),
    ...languages.map((language) => bundle(textsOf({ name, catalogues }, language, folder))),
  ]);
  const script = outputOf(main, '.js', join(code, 'main.tsx'));
  const style = styleOf(main, join(code, 'main.tsx'));
  const text = Object.fromEntries(
    languages.map((language, at) => [language, outputOf(texts[at] ?? main, '.js')]),
  );
  const first = staticImports(main, script);
  const names = Object.keys(main.outputs).map((path) => basename(path));
  const later = names.filter((file) => file.endsWith('.js') && file !== script && !first.includes(file));
  // The style of the page has the styles of its parts.
  for (const file of names.filter((name) => name.endsWith('.css') && name !== style))
    await rm(join(folder, file));
  return { script, style, first, later, texts: text as WebPage['texts'] };
}

/** The page for the time without the portal, and the service worker, which gets the names of all files. */
async function buildOffline(name: WebPageName, page: WebPage, folder: string): Promise<OfflineFiles> {
  const { code, files: address } = webPages[name];
  const offline = join(code, 'offline');
  const own = await bundle({
    entryPoints: [join(offline, 'page.ts')],
    entryNames: `${name}-offline-[hash]`,
    outdir: folder,
    // Loaded as a classic script, which runs before the page is shown.
    format: 'iife',
    splitting: false,
  });
  const [script, style] = [outputOf(own, '.js'), outputOf(own, '.css')];
  const names = [...filesOf(page), script, style];
  const build = sha256(names.join()).slice(0, 16);
  const facts = { build, script, files: names.map((file) => `${address}/${file}`), languages };
  const worker = await bundle({
    entryPoints: [join(offline, 'worker.ts')],
    entryNames: `${name}-worker-[hash]`,
    outdir: folder,
    format: 'iife',
    splitting: false,
    define: { BUILD: JSON.stringify(facts) },
  });
  return { build, worker: outputOf(worker, '.js'), script, style };
}

/** The files that a script imports before it runs, and what these import. */
function staticImports({ outputs }: Metafile, script: string): string[] {
  const byName = new Map(Object.entries(outputs).map(([path, output]) => [basename(path), output]));
  const found = new Set<string>();
  const collect = (file: string): void => {
    for (const { path, kind } of byName.get(file)?.imports ?? []) {
      const name = basename(path);
      if (kind !== 'import-statement' || found.has(name)) continue;
      found.add(name);
      collect(name);
    }
  };
  collect(script);
  return [...found];
}

async function bundle(options: BuildOptions): Promise<Metafile> {
  const { metafile } = await build({
    splitting: true,
    format: 'esm',
    ...options,
    absWorkingDir: root,
    bundle: true,
    minify: true,
    // Browsers with `light-dark()`, popovers and the Promise methods that are used.
    target: ['chrome123', 'firefox125', 'safari17.5'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    // The configuration of the type checker is not read.
    tsconfigRaw: {},
    chunkNames: 'part-[hash]',
    metafile: true,
    legalComments: 'none',
    charset: 'utf8',
    logLevel: 'warning',
    define: { 'process.env.NODE_ENV': '"production"', ...options.define },
  });
  return metafile;
}

/** The texts of a page in one language, compiled to functions. */
function textsOf(
  { name, catalogues }: Pick<Parts, 'name' | 'catalogues'>,
  language: Language,
  folder: string,
): BuildOptions {
  const files = catalogues.map((part) => join(root, 'shared/messages', `${part}.${language}.json`));
  const virtual: Plugin = {
    name: 'texts',
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /^texts$/ }, ({ path }) => ({ path, namespace: 'texts' }));
      onLoad({ filter: /.*/, namespace: 'texts' }, async () => ({
        contents: compiled(
          language,
          Object.assign({}, ...(await Promise.all(files.map((path) => readFile(path, 'utf8')))).map(parsed)),
        ),
        resolveDir: root,
      }));
    },
  };
  return {
    stdin: { contents: `import texts from 'texts'; globalThis.texts = texts;`, resolveDir: root },
    entryNames: `${name}-${language}-[hash]`,
    outdir: folder,
    plugins: [virtual],
  };
}

const parsed = (text: string): Record<string, string> => JSON.parse(text);

/** Messages with ICU syntax as an ES module of functions. */
const compiled = (language: Language, texts: Record<string, string>): string =>
  compileModule(new MessageFormat(language), texts);

/** The styles of an entry point and of all parts that it loads. Parts also have files of their own. */
function styleOf({ outputs }: Metafile, entryPoint: string): string {
  const entry = Object.values(outputs).find((output) => output.entryPoint === entryPoint);
  if (entry?.cssBundle === undefined) throw new Error(`${entryPoint} has no styles`);
  return basename(entry.cssBundle);
}

/** @param entryPoint of the output, if there are several */
function outputOf({ outputs }: Metafile, extension: string, entryPoint?: string): string {
  const found = Object.entries(outputs).find(
    ([path, output]) =>
      path.endsWith(extension) && (entryPoint === undefined || output.entryPoint === entryPoint),
  );
  if (!found) throw new Error(`the build has no ${extension} file`);
  return basename(found[0]);
}
