import { existsSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { cachedBundles } from '../../../shared/tooling/build/cached-bundles.ts';
import { builtWebPages } from '../../../shared/tooling/build/web-folder.ts';
import { sourcesOfProcess, sourcesOfScript } from './process-counts.ts';
import type { RecordedScript } from './record-pages.ts';
import { type OwnRecord, reachFile, root } from './recordings.ts';
import { type MappedTest, readMap, type TestMap, writeMap } from './test-map.ts';

/**
 * What a test calls to run a module in workerd, or as a function without source maps. V8 does not count that code, so these tests
 * count as users of all sources in the bundles.
 */
const bundler = 'shared/tooling/build/cached-bundles.ts';

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
    ]);
    if (all.has(bundler)) for (const path of inBundles) all.add(path);
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

/** Adds the tests that reached each fault of a planted tree. Other trees have none. */
function writeReached(folder: string): void {
  const path = join(root, reachFile);
  const known: Record<string, string[]> = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
  const reached = new Map(Object.entries(known).map(([fault, tests]) => [fault, new Set(tests)]));
  for (const name of readdirSync(folder)) {
    const own = join(folder, name, 'own.json');
    if (!existsSync(own)) continue;
    const record: OwnRecord = JSON.parse(readFileSync(own, 'utf8'));
    const ofProcesses = globSync(join(folder, name, 'reached-*.json')).flatMap((part): number[] =>
      JSON.parse(readFileSync(part, 'utf8')),
    );
    for (const fault of [...record.reached, ...ofProcesses]) {
      const tests = reached.get(String(fault)) ?? new Set();
      reached.set(String(fault), tests.add(record.file));
    }
  }
  const entries = [...reached].map(([fault, tests]) => [fault, [...tests].sort()]);
  if (entries.length > 0) writeFileSync(path, JSON.stringify(Object.fromEntries(entries)));
}
