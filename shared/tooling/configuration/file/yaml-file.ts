import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import { fileReason } from '../../start/file-faults.ts';
import { ConfigurationFault, type Path } from './fault.ts';

type YamlDocument = ReturnType<typeof parseDocument>;

/** The content of a YAML file, and the line of the value at a path. */
export type YamlFile = { path: string; content: unknown; lineOf(path: Path): number };

/** Maximum size in bytes. */
export const longestFile = 1_048_576;

/**
 * Reads a YAML 1.2 file of at most 1 MiB.
 * @throws ConfigurationFault with the file, and the line of a syntax error or duplicate key
 */
export function readYamlFile(path: string): YamlFile {
  const text = readText(path);
  const lines = new LineCounter();
  try {
    const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true, prettyErrors: false });
    const faults = document.errors.map(
      ({ pos: [at], message }) => `${path}: line ${lines.linePos(at).line}: ${message}`,
    );
    if (faults.length > 0) throw new ConfigurationFault(...faults.slice(0, mostFaults));
    // Limits exponential growth by nested aliases.
    const content: unknown = document.toJS({ maxAliasCount: 100 });
    return { path, content, lineOf: (at) => lines.linePos(offsetOf(document, at)).line };
  } catch (error) {
    if (error instanceof ConfigurationFault) throw error;
    // A `RangeError` of the recursive parser means deep nesting; other errors include too many aliases.
    const reason = error instanceof RangeError ? 'it is nested too deeply' : messageOf(error);
    throw new ConfigurationFault(`${path}: ${reason}`);
  }
}

const mostFaults = 20;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function readText(path: string): string {
  try {
    const file = openSync(path, 'r');
    try {
      if (fstatSync(file).size > longestFile)
        throw new ConfigurationFault(`${path}: a configuration file has at most 1 MiB`);
      return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (error instanceof ConfigurationFault) throw error;
    const reason = error instanceof TypeError ? 'it is not UTF-8' : (fileReason(error) ?? messageOf(error));
    throw new ConfigurationFault(`${path}: ${reason}`);
  }
}

/** The offset of the value at a path, or of its last existing parent. */
function offsetOf(document: YamlDocument, path: Path): number {
  let node: unknown = document.contents;
  let offset = 0;
  for (const step of path) {
    if (isAlias(node)) node = node.resolve(document);
    const pair = isMap(node)
      ? node.items.find(({ key }) => (isScalar(key) ? key.value : key) === step)
      : undefined;
    const next: unknown = isSeq(node) ? node.items[Number(step)] : pair?.value;
    const start = pair && isNode(pair.key) ? pair.key : next;
    if (!isNode(start) || !start.range) return offset;
    [offset] = start.range;
    node = next;
  }
  return offset;
}
