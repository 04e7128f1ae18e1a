import { isObject } from '../../../kernel/json/json.ts';
import type { Path } from './fault.ts';

/** A value found in an object, and its path. */
export type PathValue = { at: Path; value: unknown };

/**
 * Returns the values that match a pattern of member names; `*` matches every element of an array. Absent and null
 * values are skipped.
 */
export function valuesAt(value: unknown, pattern: readonly string[], at: Path = []): PathValue[] {
  const [step, ...rest] = pattern;
  if (value === null || value === undefined) return [];
  if (step === undefined) return [{ at, value }];
  if (step === '*')
    return Array.isArray(value)
      ? value.flatMap((element, index) => valuesAt(element, rest, [...at, index]))
      : [];
  return isObject(value) ? valuesAt(value[step], rest, [...at, step]) : [];
}

/** Returns a copy with the values at the pattern replaced. */
export function replacedAt(
  value: unknown,
  pattern: readonly string[],
  by: (value: unknown) => unknown,
): unknown {
  const [step, ...rest] = pattern;
  if (value === null || value === undefined) return value;
  if (step === undefined) return by(value);
  if (step === '*')
    return Array.isArray(value) ? value.map((element) => replacedAt(element, rest, by)) : value;
  if (!isObject(value) || !Object.hasOwn(value, step)) return value;
  return { ...value, [step]: replacedAt(value[step], rest, by) };
}

/** Returns a copy with the value of a member set by its path; undefined deletes the member. */
export function withMember(
  object: Record<string, unknown>,
  [step = '', ...rest]: readonly string[],
  value: unknown,
): Record<string, unknown> {
  if (rest.length > 0) {
    const inner = object[step];
    return { ...object, [step]: withMember(isObject(inner) ? inner : {}, rest, value) };
  }
  const { [step]: _, ...others } = object;
  return value === undefined ? others : { ...object, [step]: value };
}
