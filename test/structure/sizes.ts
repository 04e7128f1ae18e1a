import { dirname } from 'node:path/posix';
import { type Violation, violation } from './rules.ts';
import type { Source } from './sources.ts';

/** Data and generated code, whose length is not a matter of style. */
const exempt: readonly RegExp[] = [
  /^db\/migrations\//,
  /^shared\/openapi\//,
  /^shared\/client\/operations\.ts$/,
  /^shared\/identity\/common-passwords\.ts$/,
];

const caps = { source: 250, test: 400, function: 40, folder: 15, p90: 150, median: 90 };
const ruleOfSizes = `p90 <= ${caps.p90} and median <= ${caps.median} lines`;

const isTest = ({ path }: Source): boolean => path.startsWith('test/');
const isMeasured = ({ path }: Source): boolean => !exempt.some((pattern) => pattern.test(path));

/** Rules about the lengths of files and functions; tests are exempt from the last one. */
export function sizeViolations(sources: readonly Source[]): Violation[] {
  const measured = sources.filter(isMeasured);
  const product = measured.filter((source) => !isTest(source));
  return [
    ...measured.flatMap(tooLong),
    ...product.flatMap(longFunctions),
    ...spread(product),
    ...crowdedFolders(sources),
  ];
}

function crowdedFolders(sources: readonly Source[]): Violation[] {
  const byFolder = Map.groupBy(sources, ({ path }) => dirname(path));
  return [...byFolder]
    .filter(([folder, files]) => files.length > caps.folder && folder !== 'db/migrations')
    .map(([folder, files]) =>
      violation(`a folder has at most ${caps.folder} source files`, folder, 1, `${files.length} files`),
    );
}

/** @returns the value that this share of the values does not exceed, 0 when there are none */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

function tooLong(source: Source): Violation[] {
  const cap = isTest(source) ? caps.test : caps.source;
  const { length } = source.lines;
  return length > cap
    ? [violation(`a file has at most ${cap} lines`, source.path, cap + 1, `${length} lines`)]
    : [];
}

function spread(product: readonly Source[]): Violation[] {
  const lengths = product.map(({ lines }) => lines.length);
  const [median, p90] = [quantile(lengths, 0.5), quantile(lengths, 0.9)];
  if (median <= caps.median && p90 <= caps.p90) return [];
  const longest = product.toSorted((a, b) => b.lines.length - a.lines.length)[0];
  return [
    violation(
      ruleOfSizes,
      longest?.path ?? '',
      1,
      `the median is ${median}, p90 is ${p90}; this is the longest`,
    ),
  ];
}

/** A named function: a declaration, a constant arrow function, or a method. */
const heads = [
  /^\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?function\b/,
  /^\s*(?:export\s+)?const \w+(?:: [^=]+)? = (?:async )?(?:<.*>)?\((?:.*=>(?: .*[{([])?)?$/,
  /^\s+(?!if\b|for\b|while\b|switch\b|catch\b|return\b)(?:(?:static|async|get|set)\s+)*\*?#?\w+(?:<.*>)?\([^;]*\)[^=]*\{$/,
];

function longFunctions({ path, lines }: Source): Violation[] {
  const rule = `a function has at most ${caps.function} lines`;
  return lines.flatMap((line, index) => {
    if (!heads.some((head) => head.test(line))) return [];
    const length = lengthFrom(lines, index);
    return length > caps.function ? [violation(rule, path, index + 1, `${length} lines`)] : [];
  });
}

/**
 * The formatter guarantees the indentation: a function ends at the first line that is not deeper than its head,
 * unless that line only closes the parameters and opens the body.
 */
function lengthFrom(lines: readonly string[], start: number): number {
  const depth = indentOf(lines[start] ?? '');
  const rest = lines.slice(start + 1);
  const end = rest.findIndex(
    (line) => line.trim() !== '' && indentOf(line) <= depth && !/^\s*[)}].*[{(=>[]$/.test(line),
  );
  if (end < 0) return lines.length - start;
  const closes = /^\s*[)}\]]/.test(rest[end] ?? '');
  return closes ? end + 2 : rest.slice(0, end).findLastIndex((line) => line.trim() !== '') + 2;
}

const indentOf = (line: string): number => line.length - line.trimStart().length;
