import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { testCache } from '../../support/runner/cache.ts';

/** Which files of the tree one test file executes, and what it costs. Paths are relative to the root. */
export type MappedTest = { sources: readonly string[]; cpuSeconds: number };

export type TestMap = ReadonlyMap<string, MappedTest>;

/** Sources as indexes of one list, because test files share most of them. */
type StoredMap = { sources: string[]; tests: Record<string, { cpuSeconds: number; sources: number[] }> };

const file = join(testCache, 'map.json.gz');

/** @returns undefined if no run has been recorded */
export function readMap(path = file): TestMap | undefined {
  let text: string;
  try {
    text = gunzipSync(readFileSync(path)).toString();
  } catch {
    return undefined;
  }
  const { sources, tests }: StoredMap = JSON.parse(text);
  return new Map(
    Object.entries(tests).map(([test, { cpuSeconds, sources: indexes }]) => [
      test,
      { cpuSeconds, sources: indexes.map((at) => sources[at] ?? '') },
    ]),
  );
}

export function writeMap(map: TestMap, path = file): void {
  const indexes = new Map<string, number>();
  const indexOf = (source: string): number => {
    const index = indexes.get(source) ?? indexes.size;
    indexes.set(source, index);
    return index;
  };
  const tests = [...map].map(([test, { cpuSeconds, sources }]) => [
    test,
    { cpuSeconds, sources: sources.map(indexOf) },
  ]);
  const stored: StoredMap = { sources: [], tests: Object.fromEntries(tests) };
  stored.sources = [...indexes.keys()];
  mkdirSync(dirname(path), { recursive: true });
  const part = `${path}.${process.pid}.part`;
  writeFileSync(part, gzipSync(JSON.stringify(stored)));
  renameSync(part, path);
}
