import { execFileSync } from 'node:child_process';
import { parseAst } from 'vitest/node';
import { root } from './recordings.ts';

/** A file that differs from a revision. `lines` are those of the present file, from 1; `to` is included. */
export type ChangedFile = { path: string; exists: boolean; lines: { from: number; to: number }[] };

const git = (...args: string[]): string =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 });

/** Files that differ between a revision and the work tree, untracked ones included. @throws Error for an unknown revision */
export function changedSince(revision: string): ChangedFile[] {
  const diff = git('diff', '--unified=0', '--no-renames', '--no-color', '--no-ext-diff', revision, '--');
  const untracked = git('ls-files', '--others', '--exclude-standard').split('\n').filter(Boolean);
  return [
    ...parseDiff(diff),
    ...untracked.map((path) => ({ path, exists: true, lines: [{ from: 1, to: Infinity }] })),
  ];
}

/** @param diff output of `git diff --unified=0` */
export function parseDiff(diff: string): ChangedFile[] {
  return diff
    .split(/^diff --git /m)
    .slice(1)
    .map((part) => {
      const path = /^a\/(.*) b\/\1$/m.exec(part)?.[1] ?? '';
      const lines = [...part.matchAll(/^@@ -\S+ \+(\d+)(?:,(\d+))? @@/gm)].map(([, start, count]) => {
        const from = Number(start);
        // Lines that were only removed were after this one.
        return { from, to: count === '0' ? from : from + Number(count ?? 1) - 1 };
      });
      return { path, exists: !/^deleted file mode/m.test(part), lines };
    });
}

type Node = { type: string; start: number; end: number; body?: Node | null; [key: string]: unknown };

/**
 * True if all changed lines are within functions: then only tests that call functions of the file can notice it.
 * @param text of the file now
 */
export function isWithinFunctions({ path, lines }: ChangedFile, text: string): boolean {
  if (!/\.tsx?$/.test(path)) return false;
  const bodies = functionLines(path, text);
  return lines.every(({ from, to }) => bodies.some((body) => body.from <= from && to <= body.to));
}

/** True if the text at an offset is evaluated when a function is called, and not when its module is loaded. */
export const isCalled = (path: string, text: string, offset: number): boolean =>
  functionBodies(path, text).some(({ start, end }) => start <= offset && offset < end);

/** The lines of functions with a body, without lines on which other code may stand. */
function functionLines(path: string, text: string): { from: number; to: number }[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  const lineOf = (offset: number) => starts.findLastIndex((start) => start <= offset) + 1;
  return functionBodies(path, text)
    .map(({ start, end }) => ({ from: lineOf(start) + 1, to: lineOf(end) - 1 }))
    .filter(({ from, to }) => from <= to);
}

function functionBodies(path: string, text: string): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  const walk = (node: Node): void => {
    if (functions.test(node.type) && node.body) found.push(node.body);
    Object.values(node).flatMap(nodesIn).forEach(walk);
  };
  walk(parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' }, path) as unknown as Node);
  return found;
}

const functions = /^(?:ArrowFunctionExpression|FunctionExpression|FunctionDeclaration)$/;

function nodesIn(value: unknown): Node[] {
  if (Array.isArray(value)) return value.flatMap(nodesIn);
  return value !== null && typeof value === 'object' && 'type' in value ? [value as Node] : [];
}
