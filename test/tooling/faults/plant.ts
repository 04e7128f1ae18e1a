import { relative } from 'node:path';
import { dirname } from 'node:path/posix';
import type { FaultSite } from './sites.ts';

/** A fault of the frozen list. */
export type Fault = {
  id: number;
  path: string;
  kind: FaultSite['kind'];
  form: FaultSite['form'];
  /** The lines that contain the expression, to find it again in a later state of the file. */
  lines: string;
  /** Offsets of the expression in `lines`. */
  from: number;
  to: number;
  broken?: string;
};

/**
 * The module that says whether a fault is active. It is written into the tree that has the faults. The variable `PLANTED_FAULTS`
 * decides for processes that have it; others (pages, Workers) use the numbers in the module.
 */
export const switchPath = 'shared/planted-faults.ts';

/** @param active numbers of the active faults */
export const switchModule = (active: readonly number[]): string => `/** Faults of a copy of the sources. */
const always: readonly number[] = ${JSON.stringify(active)};
const ofProcess = (globalThis as { process?: NodeJS.Process }).process?.env?.PLANTED_FAULTS;
const active = ofProcess === undefined ? always : ofProcess.split(',').map(Number);
// In a test file the recorder reads the set. Started programs write it beside their counts when they end.
const globals = globalThis as unknown as { plantedFaults?: Set<number>; process?: NodeJS.Process };
if (!globals.plantedFaults) {
  const reached = new Set<number>();
  globals.plantedFaults = reached;
  const { process } = globals;
  const folder = process?.env?.NODE_V8_COVERAGE;
  if (folder)
    process?.on('exit', () =>
      process.getBuiltinModule('node:fs').writeFileSync(\`\${folder}/reached-\${process.pid}.json\`, JSON.stringify([...reached])),
    );
}
export function planted(fault: number): boolean {
  globals.plantedFaults?.add(fault);
  return active.includes(fault);
}
`;

/** The place of a fault in a text. @returns undefined if the text has no longer exactly one such place */
export function placeOf(
  text: string,
  { lines, from, to }: Fault,
): { start: number; end: number } | undefined {
  const at = text.indexOf(lines);
  if (at < 0 || text.indexOf(lines, at + 1) >= 0) return undefined;
  return { start: at + from, end: at + to };
}

/** A source with all its faults, each inactive unless the switch names it. @throws Error if one has no place */
export function withFaults(path: string, text: string, faults: readonly Fault[]): string {
  const edits = faults.map((fault) => {
    const place = placeOf(text, fault);
    if (!place) throw new Error(`fault ${fault.id} has no place in ${path}`);
    return { ...place, fault };
  });
  edits.sort((a, b) => b.start - a.start);
  let result = text;
  for (const { start, end, fault } of edits)
    result = result.slice(0, start) + switched(result.slice(start, end), fault) + result.slice(end);
  const from = relative(dirname(path), switchPath);
  return `import { planted } from '${from.startsWith('.') ? from : `./${from}`}';\n${result}`;
}

function switched(original: string, { id, form, broken }: Fault): string {
  if (form === 'element') return `...(planted(${id}) ? [] : [${original}])`;
  if (form === 'member') return `...(planted(${id}) ? {} : { ${original} })`;
  return `(planted(${id}) ? (${broken}) : (${original}))`;
}
