import { existsSync, readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { calledIn, type FunctionCounts } from './executed.ts';
import { root } from './recordings.ts';

type Script = { url: string; functions: FunctionCounts[] };

/** Own sources that a started Node process has executed. @param file that the process wrote for `NODE_V8_COVERAGE` */
export function sourcesOfProcess(file: string): string[] {
  let scripts: Script[];
  try {
    scripts = JSON.parse(readFileSync(file, 'utf8')).result;
  } catch {
    // A process that was killed while it wrote.
    return [];
  }
  return scripts.flatMap(({ url, functions }) => {
    if (!url.startsWith('file:')) return [];
    const called = calledIn(functions);
    return called.length === 0 ? [] : sourcesOfScript(fileURLToPath(url), called);
  });
}

/** The sources of the called functions of a file: the file itself, or those of a bundle with a source map beside it. */
export function sourcesOfScript(
  path: string,
  called: readonly FunctionCounts[],
  map = `${path}.map`,
): string[] {
  if (existsSync(map)) return sourcesOfBundle(path, map, called);
  return isOwn(path) ? [relative(root, path)] : [];
}

const isOwn = (path: string): boolean => path.startsWith(root) && !path.includes('/node_modules/');

type Bundle = { lineStarts: number[]; map: SourceMap };
const bundles = new Map<string, Bundle>();

function sourcesOfBundle(path: string, mapFile: string, called: readonly FunctionCounts[]): string[] {
  const { lineStarts, map } = bundles.get(path) ?? readBundle(path, mapFile);
  const found = new Set<string>();
  for (const { ranges } of called) {
    const offset = ranges[0]?.startOffset ?? 0;
    const line = lineStarts.findLastIndex((start) => start <= offset);
    const entry = map.findEntry(line, offset - (lineStarts[line] ?? 0));
    if ('originalSource' in entry && entry.originalSource) found.add(entry.originalSource);
  }
  return [...found]
    .map((source) => join(dirname(mapFile), source))
    .filter(isOwn)
    .map((source) => relative(root, source));
}

function readBundle(path: string, mapFile: string): Bundle {
  const lineStarts = [0];
  const text = readFileSync(path, 'utf8');
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lineStarts.push(at + 1);
  const payload: SourceMapPayload = JSON.parse(readFileSync(mapFile, 'utf8'));
  const bundle = { lineStarts, map: new SourceMap(payload) };
  bundles.set(path, bundle);
  return bundle;
}
