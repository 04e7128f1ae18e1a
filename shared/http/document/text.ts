import { stringify } from 'yaml';

/** The text formats of the document by file extension. */
export const documentForms = {
  json: (document: unknown, indent = 0): string => jsonOf(inReadingOrder(document), ' '.repeat(indent), ''),
  yaml: (document: unknown): string => stringify(inReadingOrder(document), { lineWidth: 0 }),
} as const;

/**
 * Replaces `responses` with maps, because an object has its numeric keys in ascending order, but readers take the first
 * success for the usual one. The response to a dry run comes after the real response.
 */
function inReadingOrder(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(inReadingOrder);
  if (!isObject(node)) return node;
  const entries = Object.entries(node).map(([name, inner]) => [name, inReadingOrder(inner)] as const);
  const { operationId, responses } = node;
  if (typeof operationId !== 'string' || !isObject(responses)) return Object.fromEntries(entries);
  const ordered = Object.entries(responses)
    .map(([status, response]) => [status, inReadingOrder(response)] as const)
    .sort(([a, one], [b, other]) => rankOf(a, one) - rankOf(b, other));
  return Object.fromEntries(
    entries.map(([name, inner]) => [name, name === 'responses' ? new Map(ordered) : inner]),
  );
}

const isObject = (node: unknown): node is Record<string, unknown> =>
  typeof node === 'object' && node !== null;

/** Order: real success, dry run, then all others. */
const rankOf = (status: string, response: unknown): number =>
  Number(status) + (isObject(response) && response['x-dry-run'] === true ? 99.5 : 0);

/** Returns the same text as `JSON.stringify`, but supports maps. */
function jsonOf(node: unknown, indent: string, margin: string): string {
  const isList = Array.isArray(node);
  if (!isObject(node)) return JSON.stringify(node);
  const entries = isList ? node.map((inner) => ['', inner]) : [...(node instanceof Map ? node : mapOf(node))];
  const inner = margin + indent;
  const colon = indent === '' ? ':' : ': ';
  const lines = entries.map(
    ([name, value]) => `${isList ? '' : JSON.stringify(name) + colon}${jsonOf(value, indent, inner)}`,
  );
  const [open, close] = isList ? '[]' : '{}';
  if (lines.length === 0 || indent === '') return `${open}${lines.join(',')}${close}`;
  return `${open}\n${lines.map((line) => inner + line).join(',\n')}\n${margin}${close}`;
}

/** Omits undefined members, as JSON does. */
const mapOf = (node: object): Map<string, unknown> =>
  new Map(Object.entries(node).filter(([, value]) => value !== undefined));
