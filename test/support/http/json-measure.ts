export type Measure = { depth: number; members: number; values: number; widest: number };

/** Deeper values exceed any limit. */
const deepest = 1_000;

/** The values that the limits of JSON count. `widest` is the number of members of one object. */
export function measure(value: unknown): Measure {
  const result = { depth: 0, members: 0, values: 0, widest: 0 };
  const open: [unknown, number][] = [[value, 0]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [node, level] = next;
    if (typeof node !== 'object' || node === null || level > deepest) continue;
    const inner: unknown[] = Array.isArray(node) ? node : Object.values(node);
    const members = Array.isArray(node) ? 0 : inner.length;
    result.depth = Math.max(result.depth, level + 1);
    result.members += members;
    result.values += inner.length;
    result.widest = Math.max(result.widest, members);
    for (const one of inner) if (typeof one === 'object') open.push([one, level + 1]);
  }
  return result;
}
