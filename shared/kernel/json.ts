import { AppError } from './errors.ts';

/** Deeper documents are refused: no request of ours needs more, and recursion must stay bounded. */
const maxDepth = 32;

/**
 * Parses a JSON object. Unlike `JSON.parse` it refuses a member name given twice (RFC 8259 leaves the meaning
 * open, so two readers could see two requests) and nesting deeper than 32.
 * @throws AppError `malformed_json`
 */
export function parseObject(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new AppError('malformed_json');
  }
  assertUnambiguous(text);
  if (!isObject(value)) throw new AppError('malformed_json', 'The body must be a JSON object');
  return value;
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Walks the tokens of text that is known to be JSON and keeps the member names of each open object. */
function assertUnambiguous(text: string): void {
  const open: (Set<string> | null)[] = [];
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"\s*:?|[[\]{}]/g)) {
    if (token === '{') open.push(new Set());
    else if (token === '[') open.push(null);
    else if (token === '}' || token === ']') open.pop();
    else if (token.endsWith(':')) addMember(open.at(-1), token);
    if (open.length > maxDepth)
      throw new AppError('malformed_json', `Nesting is limited to ${maxDepth} levels`);
  }
}

function addMember(members: Set<string> | null | undefined, token: string): void {
  const name: string = JSON.parse(token.slice(0, -1).trimEnd());
  if (members?.has(name)) throw new AppError('malformed_json', 'A member name is given twice');
  members?.add(name);
}

/** JSON text with members in order of their names at every level: equal values give equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    isObject(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}

/** JSON Merge Patch (RFC 7396) of two objects: `null` removes, objects merge, everything else replaces. */
export function mergePatch(
  target: Record<string, unknown>,
  patch: Record<string, unknown>,
): Record<string, unknown> {
  // A map, because assigning to `__proto__` of an object would not make a member of it.
  const merged = new Map(Object.entries(target));
  for (const [name, value] of Object.entries(patch)) {
    const present = merged.get(name);
    if (value === null) merged.delete(name);
    else merged.set(name, isObject(value) ? mergePatch(isObject(present) ? present : {}, value) : value);
  }
  return Object.fromEntries(merged);
}
