import { isObject } from '../../../kernel/json/json.ts';
import type { Path } from './fault.ts';

/** A value at a path that was found in an object. */
export type Found = { at: Path; value: unknown };

/** The values at a pattern of member names, where `*` stands for every element of an array; absent and null ones are left out. */
export function valuesAt(value: unknown, pattern: readonly string[], at: Path = []): Found[] {
  const [step, ...rest] = pattern;
  if (value === null || value === undefined) return [];
  if (step === undefined) return [{ at, value }];
  if (step === '*')
    return Array.isArray(value)
      ? value.flatMap((element, index) => valuesAt(element, rest, [...at, index]))
      : [];
  return isObject(value) ? valuesAt(value[step], rest, [...at, step]) : [];
}

/** A copy in which the values at the pattern are replaced. */
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

/** A copy in which a member, at a path of names, has this value; undefined takes it out. */
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
