import type { Answer } from '../support/api.ts';

/** A member that may differ between two runtimes; `at` matches its pointer, like `/body/sites/0/took_ms`. */
export type Mask = { at: RegExp; why: string };
export type Difference = { at: string; left: unknown; right: unknown };

/** The parts of a response that clients rely on besides its body. */
const comparedHeaders = [
  'content-type',
  'etag',
  'cache-control',
  'link',
  'allow',
  'location',
  'retry-after',
  'vary',
  'www-authenticate',
  'x-content-type-options',
  'x-request-id',
  'content-security-policy',
];

/** Compares responses member by member, and records the masks that it needed. */
export function createComparer(masks: readonly Mask[]) {
  const needed = new Set<Mask>();
  const maskOf = (at: string): Mask | undefined => masks.find((mask) => mask.at.test(at));
  return {
    /**
     * @returns every member in which the responses differ; a masked one differs by its absence and by its type only
     */
    differences(left: Answer, right: Answer): Difference[] {
      const [ours, theirs] = [membersOf(left), membersOf(right)];
      const pointers = [...new Set([...ours.keys(), ...theirs.keys()])];
      return pointers.flatMap((at) => {
        const mask = maskOf(at);
        if (mask) needed.add(mask);
        const shown = (value: unknown) => (mask && value !== undefined ? typeOf(value) : value);
        const [one, other] = [shown(ours.get(at)), shown(theirs.get(at))];
        return one === other ? [] : [{ at, left: one, right: other }];
      });
    },
    /** Masks that matched nothing so far. */
    stale: (): Mask[] => masks.filter((mask) => !needed.has(mask)),
  };
}

const typeOf = (value: unknown): string => `some ${value === null ? 'null' : typeof value}`;

/** Every leaf by its pointer; array elements by position, and an empty object or array is a leaf. */
function membersOf({ status, headers, body }: Answer): Map<string, unknown> {
  const kept = comparedHeaders
    .map((name) => [name, headers[name]])
    .filter(([, value]) => value !== undefined);
  const members = new Map<string, unknown>();
  collect('', { status, headers: Object.fromEntries(kept), body }, members);
  return members;
}

function collect(at: string, value: unknown, into: Map<string, unknown>): void {
  const isBranch = typeof value === 'object' && value !== null;
  const entries = isBranch ? Object.entries(value) : [];
  if (entries.length === 0) into.set(at, isBranch ? JSON.stringify(value) : value);
  for (const [name, member] of entries) collect(`${at}/${name}`, member, into);
}
