import { message } from '../../messages/message.ts';
import { nextTurn } from '../concurrency/event-loop.ts';
import { AppError, invalid } from '../errors.ts';
import { pointerTo } from './pointer.ts';
import { type ExceededLimit, jsonLimits, scanJson } from './scan.ts';

/**
 * Parses a JSON object in UTF-8. Unlike `JSON.parse` it rejects duplicate member names, whose meaning RFC 8259 leaves
 * open, and checks `jsonLimits` before it builds any value.
 * Each pass over a large text has a turn of the event loop of its own.
 * @param maxValues limit of members and elements; default: that of `jsonLimits`
 * @throws AppError `malformed_json`, `invalid_request`
 */
export async function parseObject(bytes: Uint8Array, maxValues?: number): Promise<Record<string, unknown>> {
  const { members, exceeded } = scanJson(bytes, maxValues);
  if (exceeded) throw tooMuch(exceeded, maxValues);
  if (bytes.length > largeText) await nextTurn();
  const value = parse(bytes);
  if (bytes.length > largeText) await nextTurn();
  if (countMembers(value) !== members) throw new AppError('malformed_json', 'A field name occurs twice');
  if (!isObject(value)) throw new AppError('malformed_json', 'The body must be a JSON object');
  return value;
}

/** Bytes of a text whose passes take more than a millisecond each. */
export const largeText = 131_072;

function parse(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new AppError('malformed_json', 'The body is not valid UTF-8', {}, { cause });
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new AppError('malformed_json');
  }
}

/**
 * The limits bound depth and length. `for … in` avoids arrays of members, which would take longer than the parser.
 */
function countMembers(value: unknown): number {
  let count = 0;
  if (Array.isArray(value)) for (const element of value) count += countMembers(element);
  else if (isObject(value)) for (const name in value) count += 1 + countMembers(value[name]);
  return count;
}

const details = {
  depth: message('Objects and arrays must be nested at most {limit} levels deep', {
    limit: jsonLimits.depth,
  }),
  members: message('An object must have at most {limit} fields', { limit: jsonLimits.members }),
  names: message('A body must have at most {limit} different field names', { limit: jsonLimits.names }),
};

const tooMuch = ({ limit, path }: ExceededLimit, maxValues: number = jsonLimits.values): AppError =>
  invalid({
    pointer: pointerTo(path),
    code: `too_many_${limit === 'depth' ? 'levels' : limit}`,
    detail:
      limit === 'values'
        ? message('A body must have at most {limit} fields and array elements in total', { limit: maxValues })
        : details[limit],
  });

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** JSON text with sorted member names on every level: equal values give equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    isObject(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}

/** JSON Merge Patch (RFC 7396) of two objects: `null` removes a member, objects merge, other values replace. */
export function mergePatch(
  target: Record<string, unknown>,
  patch: Record<string, unknown>,
): Record<string, unknown> {
  // A `Map`, because an assignment to `__proto__` would not create a member.
  const merged = new Map(Object.entries(target));
  for (const [name, value] of Object.entries(patch)) {
    const present = merged.get(name);
    if (value === null) merged.delete(name);
    else merged.set(name, isObject(value) ? mergePatch(isObject(present) ? present : {}, value) : value);
  }
  return Object.fromEntries(merged);
}
