import { globSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { readSources, type Source } from '../../structure/sources.ts';
import { type ProjectPlan, projects } from '../run/tiers.ts';
import { type ChangedFile, changedSince, isWithinFunctions } from './changes.ts';
import { dependantsOf } from './dependants.ts';
import { root } from './recordings.ts';
import { readMap, type TestMap } from './test-map.ts';

export type Affected = {
  /** Cheap tiers first, in a tier the cheapest files first. */
  files: string[];
  /** One line for each change that selects all tests, and one with the counts. */
  reasons: string[];
};

/** Tests that execute what has changed since a revision. Without a map, or for a change without a rule: all of them. */
export async function affectedTests(revision: string): Promise<Affected> {
  const changed = changedSince(revision);
  const map = readMap();
  const all = testFiles();
  const selection = map
    ? select(changed, { map, all, sources: readSources() })
    : {
        files: new Set(all),
        reasons: ['No run was recorded (npm run test:all -- --record): all tests are affected.'],
      };
  const files = inOrder(selection.files, map);
  return {
    files,
    reasons: [
      ...selection.reasons,
      `${changed.length} changed files affect ${files.length} of ${all.length} test files`,
    ],
  };
}

type Known = { map: TestMap; all: readonly string[]; sources: readonly Source[] };

/** The test files of changed files. */
export function select(
  changed: readonly ChangedFile[],
  known: Known,
): { files: Set<string>; reasons: string[] } {
  const files = new Set<string>();
  const reasons: string[] = [];
  const graph = { ...known, importers: importersOf(known.sources), users: usersOf(known.map) };
  for (const change of changed) {
    const tests = testsOf(change, graph);
    if (tests === undefined)
      reasons.push(`${change.path}: no test is known to execute it, so all are affected`);
    for (const test of tests ?? known.all) files.add(test);
  }
  // A test file that was not recorded may execute anything.
  if (changed.length > 0)
    for (const test of known.all) if (!known.map.has(test) && !isPure(test)) files.add(test);
  return { files, reasons };
}

/** The rules of the tree read all sources; they are fast, and always run. */
const isPure = (test: string): boolean => test.startsWith('test/structure/');

type Graph = Known & {
  importers: ReadonlyMap<string, readonly string[]>;
  /** Tests that call a function of a file. */
  users: ReadonlyMap<string, readonly string[]>;
};

function testsOf(change: ChangedFile, graph: Graph): string[] | undefined {
  const { path, exists } = change;
  const { all } = graph;
  if (all.includes(path)) return [path];
  if (path.endsWith('.test.ts')) return exists ? undefined : [];
  const declared = dependantsOf(path);
  if (declared === 'all') return [...all];
  if (declared === 'database') return all.filter((test) => usesDatabase(test));
  if (declared) return all.filter((test) => declared.some((glob) => matchesGlob(test, glob)));
  if (!/\.(?:ts|tsx|mjs)$/.test(path)) return undefined;
  const users = new Set<string>();
  const text = graph.sources.find((source) => source.path === path)?.text ?? '';
  const isKnown = addUsers(path, isWithinFunctions(change, text), graph, users, new Set());
  return isKnown ? [...users] : undefined;
}

/**
 * Adds the tests that call a function of a file. What stands outside of functions (a limit, a shape, a table) acts through
 * the files that import it: their tests are added as well.
 * @returns false if neither the file nor a file that imports it is known to the map
 */
function addUsers(
  path: string,
  isWithin: boolean,
  graph: Graph,
  users: Set<string>,
  seen: Set<string>,
): boolean {
  if (seen.has(path)) return true;
  seen.add(path);
  const own = graph.users.get(path) ?? [];
  for (const test of own) users.add(test);
  if (graph.all.includes(path)) users.add(path);
  if (isWithin && own.length > 0) return true;
  const importing = graph.importers.get(path) ?? [];
  // An importer that no test calls has no functions: what imports it decides.
  const known = importing.map((importer) => addUsers(importer, true, graph, users, seen));
  return own.length > 0 || known.some(Boolean) || graph.all.includes(path);
}

function usersOf(map: TestMap): Map<string, string[]> {
  const users = new Map<string, string[]>();
  for (const [test, { sources }] of map)
    for (const source of sources) {
      const known = users.get(source) ?? [];
      known.push(test);
      users.set(source, known);
    }
  return users;
}

export function importersOf(sources: readonly Source[]): Map<string, string[]> {
  const importers = new Map<string, string[]>();
  for (const { path, imports } of sources)
    for (const { target, isRelative } of imports)
      if (isRelative) importers.set(target, [...(importers.get(target) ?? []), path]);
  return importers;
}

const planOf = (test: string): ProjectPlan | undefined =>
  projects.find(
    ({ include, exclude = [] }) =>
      include.some((glob) => matchesGlob(test, glob)) && !exclude.some((glob) => matchesGlob(test, glob)),
  );

const rankOf = (plan: ProjectPlan | undefined): number => (plan ? projects.indexOf(plan) : projects.length);

const usesDatabase = (test: string): boolean => planOf(test)?.database ?? true;

const testFiles = (): string[] =>
  globSync('test/**/*.test.ts', { cwd: root, exclude: (name) => name.endsWith('node_modules') })
    .map(String)
    .sort();

/** @param map has the costs; a file without one comes last */
function inOrder(files: ReadonlySet<string>, map: TestMap | undefined): string[] {
  const rank = (test: string) => rankOf(planOf(test));
  const cost = (test: string) => map?.get(test)?.cpuSeconds ?? Number.POSITIVE_INFINITY;
  return [...files].sort((a, b) => rank(a) - rank(b) || cost(a) - cost(b) || (a < b ? -1 : 1));
}
