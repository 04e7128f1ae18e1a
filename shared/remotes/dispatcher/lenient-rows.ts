import type { z } from 'zod';
import type { Ignored, IgnoredReason } from './rows.ts';

export type LenientRow<Row> = { row: Row; ignored: Ignored[] } | { row: undefined; ignored: [Ignored] };

/**
 * Reads a row of a node. Malformed members are treated as missing.
 * @param shape must accept a row with only its identity
 * @returns a result without `row` and with a single reason if the identity is missing or malformed
 */
export function readRow<S extends z.ZodRawShape>(
  shape: z.ZodObject<S>,
  identity: keyof S & string,
  row: unknown,
): LenientRow<z.output<z.ZodObject<S>>> {
  const strict = shape.safeParse(row);
  if (strict.success) return { row: strict.data, ignored: [] };
  const ignored = ignoredIn(strict.error, row);
  const fatal = ignored.find(({ member }) => member === identity || member === noObject);
  if (fatal) return { row: undefined, ignored: [fatal] };
  const wrong = new Set(ignored.map(({ member }) => member));
  const rest = Object.entries(row as object).filter(([name]) => !wrong.has(name));
  return { row: shape.parse(Object.fromEntries(rest)), ignored };
}

const noObject = 'row';

/** Returns one entry per member, even if several of its parts are malformed. */
function ignoredIn({ issues }: z.ZodError, row: unknown): Ignored[] {
  const found = new Map<string, IgnoredReason>();
  for (const issue of issues) {
    const member = issue.path.length === 0 ? noObject : String(issue.path[0]);
    if (!found.has(member)) found.set(member, reasonOf(issue, row));
  }
  return [...found].map(([member, reason]) => ({ member, reason }));
}

const reasons: Partial<Record<z.core.$ZodIssue['code'], IgnoredReason>> = {
  invalid_type: 'wrong_type',
  too_big: 'out_of_range',
  too_small: 'out_of_range',
  invalid_format: 'wrong_format',
  invalid_value: 'unknown_value',
};

function reasonOf({ code, path: [member] }: z.core.$ZodIssue, row: unknown): IgnoredReason {
  const value: unknown = member === undefined ? row : Reflect.get(row as object, member);
  const isMissing = member !== undefined && (value === undefined || value === null);
  return isMissing ? 'missing' : (reasons[code] ?? 'unusable');
}
