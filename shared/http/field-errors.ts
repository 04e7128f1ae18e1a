import type { z } from 'zod';
import { type FieldError, mostFieldErrors } from '../kernel/errors.ts';
import { isObject } from '../kernel/json.ts';
import { pointerTo } from '../kernel/json-pointer.ts';
import { isStorable } from '../kernel/text.ts';
import { textOf } from './issue-texts.ts';

/**
 * The faults that a schema found, one entry a field.
 * @param root `/` for a body (JSON Pointer), `?` for the query
 */
export function fieldErrors(error: z.ZodError | undefined, root: '/' | '?'): FieldError[] {
  const entries: FieldError[] = [];
  for (const issue of error?.issues.slice(0, mostFieldErrors) ?? []) {
    entries.push(...entriesOf(issue, root));
    if (entries.length >= mostFieldErrors) break;
  }
  return entries.slice(0, mostFieldErrors);
}

function entriesOf(issue: z.core.$ZodIssue, root: '/' | '?'): FieldError[] {
  const meant = issue.code === 'invalid_union' ? meantOption(issue.errors) : undefined;
  if (meant)
    return meant.flatMap((fault) => entriesOf({ ...fault, path: [...issue.path, ...fault.path] }, root));
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, mostFieldErrors).map(
      (key): FieldError => ({
        pointer: pointerTo([...issue.path, key], root),
        code: 'unknown',
        detail: 'Unknown member',
      }),
    );
  }
  return [{ pointer: pointerTo(issue.path, root), code: codeOf(issue), detail: textOf(issue) }];
}

/** The only one of several forms that the value has, but for what is in it: those faults say more than "invalid". */
function meantOption(options: readonly z.core.$ZodIssue[][]): z.core.$ZodIssue[] | undefined {
  const alike = options.filter((faults) => faults.length > 0 && faults.every(({ path }) => path.length > 0));
  return alike.length === 1 ? alike[0] : undefined;
}

function codeOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'custom' && typeof issue.params?.code === 'string') return issue.params.code;
  const mayBeAbsent = issue.code === 'invalid_type' || issue.code === 'invalid_value';
  if (mayBeAbsent && issue.input === undefined) return 'required';
  return issue.code;
}

/**
 * Texts that PostgreSQL cannot hold (NUL, half surrogate pairs), wherever they stand. Of a name that is such a text the
 * object around it is named.
 * @param root of the value: `/` for a body, `?` for the query
 */
export function unstorable(value: unknown, root: '/' | '?'): FieldError[] {
  const faults: FieldError[] = [];
  collectUnstorable(value, [], (path) => {
    faults.push({ pointer: pointerTo(path, root), ...invalidText });
    return faults.length >= mostFieldErrors;
  });
  return faults;
}

/** @returns true if `report` wants no more */
function collectUnstorable(value: unknown, path: (string | number)[], report: Report): boolean {
  if (typeof value === 'string') return !isStorable(value) && report(path);
  if (Array.isArray(value)) return value.some((element, at) => collectWithin(element, at, path, report));
  if (!isObject(value)) return false;
  for (const name in value)
    if (isStorable(name) ? collectWithin(value[name], name, path, report) : report(path)) return true;
  return false;
}

type Report = (path: readonly (string | number)[]) => boolean;

function collectWithin(
  value: unknown,
  step: string | number,
  path: (string | number)[],
  report: Report,
): boolean {
  path.push(step);
  const isEnough = collectUnstorable(value, path, report);
  path.pop();
  return isEnough;
}

const invalidText = {
  code: 'invalid_text',
  detail: 'The text has a character that cannot be stored',
} as const;
