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
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      pointer: pointerTo([...issue.path, key], root),
      code: 'unknown',
      detail: 'Unknown member',
    }));
  }
  return [{ pointer: pointerTo(issue.path, root), code: codeOf(issue), detail: issue.message }];
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
export function unstorable(value: unknown, pointer: string): FieldError[] {
  if (typeof value === 'string')
    return isStorable(value)
      ? []
      : [{ pointer, code: 'invalid_text', detail: 'The text has a character that cannot be stored' }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value)
    .flatMap(([name, member]) =>
      isStorable(name) ? unstorable(member, join(pointer, name)) : unstorable(name, pointer),
    )
    .slice(0, most);
}

const join = (pointer: string, name: string): string =>
  pointer === '?' ? pointer + escaped(name) : `${pointer}/${escaped(name)}`;
