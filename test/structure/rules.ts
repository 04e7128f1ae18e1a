import { isForBrowsers, isJoint, mayUse, moduleOf, placeOf, resourceOf } from './floors.ts';
import { packageRules } from './packages.ts';
import type { Import, Source } from './sources.ts';

/** One broken rule at one line. */
export type Violation = { rule: string; path: string; line: number; detail: string };

type Edge = { source: Source; used: Import };

/** Rules about allowed imports. */
export function importViolations(sources: readonly Source[]): Violation[] {
  const edges = sources.flatMap((source) => source.imports.map((used) => ({ source, used })));
  const inner = edges.filter(({ used }) => used.isRelative);
  const outer = edges.filter(({ used }) => !used.isRelative);
  return [
    ...sources
      .filter(isHomeless)
      .map(({ path }) => violation('every file stands on a floor', path, 1, 'no floor has this path')),
    ...inner.filter(climbs).map(report('stairs: only down, never up or across')),
    ...inner.filter(joinsModules).map(report('no module imports another')),
    ...inner.filter(joinsResources).map(report('no resource imports a sibling')),
    ...inner
      .filter(reachesIntoKind)
      .map(report('a kind of dispatcher is imported by the registries only; the port is for all others')),
    ...inner.filter(isRemoteToDatabase).map(report('a remote never sees the database')),
    ...inner.filter(isServerToBrowser).map(report('servers import nothing of browsers')),
    ...inner.filter(isSourceToTest).map(report('the product never imports its tests')),
    ...inner.filter(isBlackBoxToSource).map(report('e2e tests import nothing of the source')),
    ...outer.flatMap(packageViolations),
    ...circles(sources),
  ];
}

export const describeViolation = ({ rule, path, line, detail }: Violation): string =>
  `${path}:${line} breaks "${rule}": ${detail}`;

export const violation = (rule: string, path: string, line: number, detail: string): Violation => ({
  rule,
  path,
  line,
  detail,
});

const isTest = (path: string): boolean => path.startsWith('test/');

const isHomeless = ({ path }: Source): boolean => !isTest(path) && !placeOf(path);

const report =
  (rule: string) =>
  ({ source, used }: Edge): Violation =>
    violation(rule, source.path, used.line, `it imports ${used.target}`);

function climbs({ source, used }: Edge): boolean {
  const from = placeOf(source.path);
  const to = placeOf(used.target);
  // Between modules and resources the two rules below are more specific.
  if (!from || !to || joinsModules({ source, used }) || joinsResources({ source, used })) return false;
  return !mayUse(from, to);
}

function joinsModules({ source, used }: Edge): boolean {
  const [from, to] = [moduleOf(source.path), moduleOf(used.target)];
  return from !== undefined && to !== undefined && from !== to && !isJoint(source.path);
}

function joinsResources({ source, used }: Edge): boolean {
  const [from, to] = [resourceOf(source.path), resourceOf(used.target)];
  return (
    from !== undefined && to !== undefined && from !== to && moduleOf(source.path) === moduleOf(used.target)
  );
}

const dispatchers = 'shared/remotes/dispatcher/';
const kindOf = (path: string): string | undefined =>
  path.startsWith(dispatchers) ? /^([^/]+)\//.exec(path.slice(dispatchers.length))?.[1] : undefined;

/** Each folder of the dispatcher remote is a kind. */
const registries = ['kinds.ts', 'key-kinds.ts'].map((name) => `${dispatchers}${name}`);

function reachesIntoKind({ source, used }: Edge): boolean {
  const kind = kindOf(used.target);
  return kind !== undefined && kind !== kindOf(source.path) && !registries.includes(source.path);
}

const isRemoteToDatabase = ({ source, used }: Edge): boolean =>
  source.path.startsWith('shared/remotes/') && placeOf(used.target)?.room === 'db';

const isServerToBrowser = ({ source, used }: Edge): boolean =>
  isForBrowsers(used.target) && !isForBrowsers(source.path) && !isTest(source.path);

const isSourceToTest = ({ source, used }: Edge): boolean => !isTest(source.path) && isTest(used.target);

const isBlackBoxToSource = ({ source, used }: Edge): boolean =>
  source.path.startsWith('test/e2e/') && !isTest(used.target);

const packageViolations = (edge: Edge): Violation[] =>
  packageRules
    .filter(
      ({ concerns, allowed }) =>
        concerns(edge.used.target) && !allowed.some((place) => place.test(edge.source.path)),
    )
    .map(({ rule }) => report(rule)(edge));

/** One violation for each cycle, at the import that closes it; imports of types count as well. */
function circles(sources: readonly Source[]): Violation[] {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const done = new Set<string>();
  const found: Violation[] = [];
  const walk = (source: Source, trail: readonly string[]): void => {
    const path = [...trail, source.path];
    for (const { target, line, isRelative } of source.imports) {
      const next = isRelative ? byPath.get(target) : undefined;
      if (!next || done.has(target)) continue;
      const start = path.indexOf(target);
      if (start < 0) walk(next, path);
      else
        found.push(
          violation('no import circles', source.path, line, [...path.slice(start), target].join(' -> ')),
        );
    }
    done.add(source.path);
  };
  for (const source of sources) if (!done.has(source.path)) walk(source, []);
  return found;
}
