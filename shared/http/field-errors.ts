import type { z } from 'zod';
import type { FieldError } from '../kernel/errors.ts';
import { isStorable } from '../kernel/text.ts';

/** No more faults than these are told. */
const most = 50;

/**
 * The faults that a schema found, one entry a field.
 * @param root `/` for a body (JSON Pointer), `?` for the query
 */
export function fieldErrors(error: z.ZodError | undefined, root: '/' | '?'): FieldError[] {
  return (error?.issues ?? []).flatMap((issue) => entriesOf(issue, root)).slice(0, most);
}

function entriesOf(issue: z.core.$ZodIssue, root: '/' | '?'): FieldError[] {
  const meant = issue.code === 'invalid_union' ? meantOption(issue.errors) : undefined;
  if (meant)
    return meant.flatMap((fault) => entriesOf({ ...fault, path: [...issue.path, ...fault.path] }, root));
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      pointer: pointerTo([...issue.path, key], root),
      code: 'unknown',
      detail: 'Unknown member',
    }));
  }
  return [{ pointer: pointerTo(issue.path, root), code: codeOf(issue), detail: issue.message }];
}

/** The only one of several forms that the value has, but for what is in it: those faults say more than "invalid". */
function meantOption(options: readonly z.core.$ZodIssue[][]): z.core.$ZodIssue[] | undefined {
  const alike = options.filter((faults) => faults.length > 0 && faults.every(({ path }) => path.length > 0));
  return alike.length === 1 ? alike[0] : undefined;
}

/** RFC 6901: `~` and `/` inside a name are escaped, and the whole document is the empty text. */
function pointerTo(path: readonly PropertyKey[], root: '/' | '?'): string {
  const parts = path.map((part) => escaped(String(part)));
  return parts.length === 0 && root === '/' ? '' : root + parts.join('/');
}

const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

function codeOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'custom' && typeof issue.params?.code === 'string') return issue.params.code;
  if (issue.code === 'invalid_type' && issue.input === undefined) return 'required';
  return issue.code;
}

/**
 * Texts that PostgreSQL cannot hold (NUL, half surrogate pairs), wherever they stand. A name that is one cannot be
 * told, so what it stands in is.
 * @param pointer of the value: empty for a body, `?` for the query
 */
export function unstorable(value: unknown, pointer: '' | '?'): FieldError[] {
  const faults: FieldError[] = [];
  collectUnstorable(value, pointer, faults);
  return faults.slice(0, most);
}

function collectUnstorable(value: unknown, pointer: string, faults: FieldError[]): void {
  if (typeof value === 'string') {
    if (!isStorable(value)) faults.push({ pointer, ...invalidText });
    return;
  }
  for (const name of Object.keys(value ?? {})) {
    if (faults.length >= most) return;
    const member: unknown = Reflect.get(Object(value), name);
    if (!isStorable(name)) faults.push({ pointer, ...invalidText });
    // Bodies of a mebibyte have half a million numbers; none of them needs a pointer.
    else if (typeof member === 'string' || typeof member === 'object')
      collectUnstorable(member, join(pointer, name), faults);
  }
}

const invalidText = { code: 'invalid_text', detail: 'The text has a character that cannot be stored' };

const join = (pointer: string, name: string): string =>
  pointer === '?' ? pointer + escaped(name) : `${pointer}/${escaped(name)}`;
