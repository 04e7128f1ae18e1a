import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect } from 'vitest';
import { isExecuted } from './executed.ts';
import { recordPages } from './record-pages.ts';
import { folderOf, type OwnRecord, recordFolder, root } from './recordings.ts';

/**
 * A setup file of recorded runs: writes the sources that each test file executes. Functions in this process are counted by
 * V8. Started programs that are Node processes write their own counts, because they inherit `NODE_V8_COVERAGE`.
 */

/** The worker keeps one session for all its test files. */
const holder = globalThis as { coverageSession?: Session };
const session = holder.coverageSession ?? start();
holder.coverageSession = session;

function start(): Session {
  const started = new Session();
  started.connect();
  started.post('Profiler.enable');
  started.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  return started;
}

/** Own sources with an executed function since the last call; the code of the module itself does not count. */
function executed(): string[] {
  const paths = new Set<string>();
  session.post('Profiler.takePreciseCoverage', (error, answer) => {
    if (error) throw error;
    for (const { url, functions } of answer.result) {
      const path = sourceOf(url);
      if (path && isExecuted(functions)) paths.add(path);
    }
  });
  return [...paths].sort();
}

function sourceOf(url: string): string | undefined {
  const file = url.startsWith('file:') ? fileURLToPath(url) : url;
  if (!file.startsWith(root) || file.includes('/node_modules/')) return undefined;
  return relative(root, file.replace(/\?.*$/, ''));
}

/** CPU seconds of this process and of its descendants that have ended. */
function cpuSeconds(): { own: number; children: number } {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
  const seconds = (at: number) => Number(fields[at]) / 100;
  return { own: seconds(11) + seconds(12), children: seconds(13) + seconds(14) };
}

const file = relative(root, expect.getState().testPath ?? '');
const folder = folderOf(recordFolder() ?? '', file);
const before = { at: performance.now(), cpu: cpuSeconds() };
executed();
mkdirSync(folder, { recursive: true });
process.env.NODE_V8_COVERAGE = folder;
const reached = new Set<number>();
Object.assign(globalThis, { plantedFaults: reached });

beforeAll(() => recordPages(folder));
afterAll(() => {
  const cpu = cpuSeconds();
  const record: OwnRecord = {
    file,
    seconds: (performance.now() - before.at) / 1000,
    cpu: cpu.own - before.cpu.own,
    childrenCpu: cpu.children - before.cpu.children,
    sources: executed(),
    reached: [...reached],
  };
  writeFileSync(join(folder, 'own.json'), JSON.stringify(record));
});
