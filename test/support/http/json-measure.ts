export type Measure = { depth: number; members: number; values: number; widest: number };

/** Deeper ones exceed any limit, and would exceed the stack. */
const farBelow = 1_000;

/**
 * The values that the limits of JSON count, found by walking the value. `widest` is the number of members of one
 * object.
 */
export function measure(value: unknown, level = 0): Measure {
  if (typeof value !== 'object' || value === null || level > farBelow)
    return { depth: 0, members: 0, values: 0, widest: 0 };
  const inner = Object.values(value).map((one) => measure(one, level + 1));
  const own = Object.keys(value).length;
  const names = Array.isArray(value) ? 0 : own;
  const sum = (of: (one: Measure) => number) => inner.reduce((total, one) => total + of(one), 0);
  const most = (of: (one: Measure) => number) => inner.reduce((top, one) => Math.max(top, of(one)), 0);
  return {
    depth: 1 + most(({ depth }) => depth),
    members: names + sum(({ members }) => members),
    values: own + sum(({ values }) => values),
    widest: Math.max(
      names,
      most(({ widest }) => widest),
    ),
  };
}
