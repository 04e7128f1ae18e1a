import { existsSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, join, matchesGlob } from 'node:path';
import { cachedBundles } from '../../../shared/tooling/build/cached-bundles.ts';
import { builtWebPages } from '../../../shared/tooling/build/web-folder.ts';
import { sourcesOfProcess, sourcesOfScript } from './process-counts.ts';
import type { RecordedScript } from './record-pages.ts';
import { type OwnRecord, reachFile, root } from './recordings.ts';
import { type MappedTest, readMap, type TestMap, writeMap } from './test-map.ts';

/**
 * Test files that run code of modules in workerd, or as functions without source maps. V8 does not count it, so they count
 * as users of all sources in the bundles.
 */
const ofBundles: readonly string[] = [
  'test/{runtime,platform}/{workers,lambda,federation,deploy}/**',
  'test/e2e/{workers,lambda}.test.ts',
  'test/e2e/twins/**',
  'test/smoke/{workers,lambda}*',
  'test/runtime/start/secret-key-edge.test.ts',
];

/** Adds the recordings of a run to the map, and removes test files that no longer exist. */
export async function updateMap(folder: string): Promise<void> {
  const recorded = await readRecordings(folder, await builtWebPages());
  const known = [...(readMap() ?? [])].filter(([test]) => existsSync(join(root, test)));
  writeMap(new Map([...known, ...recorded]));
  writeReached(folder);
  await rm(folder, { recursive: true, force: true });
  process.stdout.write(`recorded: ${recorded.size} test files\n`);
}

/** @param webPages folder of the browser code with source maps */
export async function readRecordings(folder: string, webPages: string): Promise<TestMap> {
  const inBundles = await sourcesOfBundles();
  const tests = new Map<string, MappedTest>();
  for (const name of readdirSync(folder)) {
    const own = join(folder, name, 'own.json');
    if (!existsSync(own)) continue;
    const { file, sources, cpu, childrenCpu }: OwnRecord = JSON.parse(readFileSync(own, 'utf8'));
    const parts = (pattern: string) => globSync(join(folder, name, pattern));
    const all = new Set([
      ...sources,
      ...parts('coverage-*.json').flatMap(sourcesOfProcess),
      ...parts('page-*.json').flatMap((part) => sourcesOfPage(part, webPages)),
      ...(ofBundles.some((glob) => matchesGlob(file, glob)) ? inBundles : []),
    ]);
    tests.set(file, { sources: [...all].sort(), cpuSeconds: Math.round((cpu + childrenCpu) * 10) / 10 });
  }
  return tests;
}

async function sourcesOfBundles(): Promise<string[]> {
  const bundles = [...(await cachedBundles('workers')), ...(await cachedBundles('lambda'))];
  const inputs = new Set(bundles.flatMap(({ metafile }) => Object.keys(metafile.inputs)));
  return [...inputs].filter((path) => !path.startsWith('node_modules/') && !path.includes(':'));
}

/** Scripts of a portal that had no source maps count as all code of browsers. */
function sourcesOfPage(part: string, webPages: string): string[] {
  const scripts: RecordedScript[] = JSON.parse(readFileSync(part, 'utf8'));
  return scripts.flatMap(({ file, functions }) => {
    const path = join(webPages, basename(file));
    if (existsSync(`${path}.map`)) return sourcesOfScript(path, functions);
    return /^(?:part|[a-z]+)-[A-Z0-9]{8}\.js$/.test(file) && !existsSync(path) ? ofBrowsers() : [];
  });
}

let browserSources: string[] | undefined;
function ofBrowsers(): string[] {
  browserSources ??= globSync(['shared/web/**/*.{ts,tsx}', 'functions/*/app/**/*.{ts,tsx}'], { cwd: root });
  return browserSources;
}

/** Faults of a planted tree, with the test files that reached them. Other trees have none. */
function writeReached(folder: string): void {
  const reached: Record<string, string[]> = {};
  for (const name of readdirSync(folder)) {
    const own = join(folder, name, 'own.json');
    if (!existsSync(own)) continue;
    const record: OwnRecord = JSON.parse(readFileSync(own, 'utf8'));
    const ofProcesses = globSync(join(folder, name, 'reached-*.json')).flatMap((part): number[] =>
      JSON.parse(readFileSync(part, 'utf8')),
    );
    for (const fault of new Set([...record.reached, ...ofProcesses])) {
      reached[fault] ??= [];
      reached[fault].push(record.file);
    }
  }
  if (Object.keys(reached).length > 0) writeFileSync(join(root, reachFile), JSON.stringify(reached));
}
