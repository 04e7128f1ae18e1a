import type { z } from 'zod';
import { type FieldError, maxFieldErrors } from '../kernel/errors.ts';
import { isObject } from '../kernel/json/json.ts';
import { pointerTo } from '../kernel/json/pointer.ts';
import { type Detail, joined, message, type Text, term, verbatim } from '../messages/message.ts';
import { textOf } from './issue-texts.ts';

/**
 * Converts the issues of a schema to field errors, one per field.
 * @param root `/` for a body (JSON Pointer), `?` for the query
 * @param known names of all parameters of the query
 */
export function fieldErrors(
  error: z.ZodError | undefined,
  root: '/' | '?',
  known: readonly string[] = [],
): FieldError[] {
  const entries: FieldError[] = [];
  for (const issue of error?.issues.slice(0, maxFieldErrors) ?? []) {
    entries.push(...entriesOf(issue, root, known));
    if (entries.length >= maxFieldErrors) break;
  }
  return entries.slice(0, maxFieldErrors);
}

function entriesOf(issue: z.core.$ZodIssue, root: '/' | '?', known: readonly string[]): FieldError[] {
  if (issue.code === 'invalid_union') {
    const meant = meantOption(issue.errors) ?? unionFaults(issue);
    return meant.flatMap((fault) =>
      entriesOf({ ...fault, path: [...issue.path, ...fault.path] }, root, known),
    );
  }
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, maxFieldErrors).map(
      (key): FieldError => ({
        pointer: pointerTo([...issue.path, key], root),
        code: 'unknown',
        detail: root === '?' ? unknownParameter(key, known) : 'Unknown field',
      }),
    );
  }
  const code = codeOf(issue);
  const detail = code === 'required' && isBuiltIn(issue) ? requiredDetail(issue.path) : textOf(issue);
  return [{ pointer: pointerTo(issue.path, root), code, detail }];
}

/** False for the message of a schema of the portal, which is more specific. */
const isBuiltIn = ({ message }: z.core.$ZodIssue): boolean => message.startsWith('Invalid ');

function requiredDetail(path: readonly PropertyKey[]): Text {
  const name = path.at(-1);
  return typeof name === 'string' && name.length <= longestName
    ? message('{name} is required', { name })
    : 'A value is required';
}

const longestName = 64;

/** Parameter names of page numbers and offsets in other APIs. */
const pageNumbers: ReadonlySet<string> = new Set([
  'page',
  'offset',
  'skip',
  'start',
  'per_page',
  'page_size',
]);

/** The text for an unknown parameter, with the supported parameters. */
export function unknownParameter(name: string, known: readonly string[]): Text {
  if (known.length === 0) return 'Unknown parameter: the operation has no parameters';
  const names = known.join(', ');
  return pageNumbers.has(name) && known.includes('cursor')
    ? message(
        'Unknown parameter. Supported parameters: {names}. Page numbers are not supported: send `next` of a page as `cursor` to read the next page, and the page size as `limit`',
        { names },
      )
    : message('Unknown parameter. Supported parameters: {names}', { names });
}

/**
 * Returns the issues of the only option that the value matches at the top level. They are more specific than "invalid".
 */
function meantOption(options: readonly z.core.$ZodIssue[][]): z.core.$ZodIssue[] | undefined {
  const alike = options.filter((faults) => faults.length > 0 && faults.every(({ path }) => path.length > 0));
  return alike.length === 1 ? alike[0] : undefined;
}

type UnionIssue = z.core.$ZodIssueInvalidUnion;

/** Returns the issues of a value that matches no option: by the names of members, or by the accepted forms. */
function unionFaults({ errors: options, input }: UnionIssue): z.core.$ZodIssue[] {
  const names = isObject(input) ? [...missingIn(options), ...contradicting(options)] : [];
  if (names.length > 0) return names;
  const accepted = distinct(
    options
      .flat()
      .filter(({ path }) => path.length === 0)
      .map(acceptedBy),
  );
  const detail: Text = accepted.every((one) => one !== undefined)
    ? message('Must be {forms}', { forms: joined(accepted, term(' or ')) })
    : 'Must have one of the accepted forms';
  return [{ ...named('', 'invalid_union', detail), path: [], input }];
}

type Options = readonly z.core.$ZodIssue[][];

/** Creates an issue with a text of the catalogue. `textOf` reads it from `params`. */
const named = (name: string, code: string, text: Text) => ({
  code: 'custom' as const,
  path: [name],
  message: '',
  input: undefined as unknown,
  params: { code, text },
});

/** Removes duplicates by content, because equal texts can be different messages. */
const distinct = (texts: readonly (Text | undefined)[]): (Text | undefined)[] => [
  ...new Map(texts.map((text) => [String(text), text])).values(),
];

/** Members that are missing in every option are required. Of the others, one is required. */
function missingIn(options: Options): z.core.$ZodIssue[] {
  const missing = options.map((faults) => faults.filter((fault) => codeOf(fault) === 'required'));
  const names = missing.map((faults) =>
    faults.filter(({ path }) => path.length === 1).map(({ path }) => String(path[0])),
  );
  const all = [...new Set(names.flat())];
  const inAll = all.filter((name) => names.every((some) => some.includes(name)));
  const some = all.filter((name) => !inAll.includes(name));
  const oneOf =
    some.length === 1
      ? requiredDetail(some)
      : message('One of {names} is required', { names: some.join(', ') });
  return [
    ...inAll.map((name) => named(name, 'required', requiredDetail([name]))),
    ...some.map((name) => named(name, 'required', oneOf)),
  ];
}

/** Members that no option has are unknown. The others exclude each other. */
function contradicting(options: Options): z.core.$ZodIssue[] {
  const excess = options.map((faults) =>
    faults.flatMap((fault) =>
      fault.code === 'unrecognized_keys' && fault.path.length === 0 ? fault.keys : [],
    ),
  );
  const all = [...new Set(excess.flat())].slice(0, maxFieldErrors);
  const unknown = all.filter((name) => excess.every((some) => some.includes(name)));
  if (unknown.length > 0)
    return [{ code: 'unrecognized_keys', keys: unknown, path: [], message: '', input: {} }];
  return all.map((name) =>
    named(name, 'excluded', message('Only one of {names} is allowed', { names: all.join(', ') })),
  );
}

/** Describes what an option accepts. Undefined if there is no short description. */
function acceptedBy(fault: z.core.$ZodIssue): Text | undefined {
  if (fault.code === 'invalid_value')
    return joined(
      fault.values.map((value) => verbatim(JSON.stringify(value))),
      term(' or '),
    );
  return fault.code === 'invalid_type' ? forms[String(fault.expected)] : undefined;
}

const forms: Readonly<Partial<Record<string, Detail>>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'a boolean',
  array: 'an array',
  object: 'an object',
  null: 'null',
};

function codeOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'custom' && typeof issue.params?.code === 'string') return issue.params.code;
  const mayBeAbsent = issue.code === 'invalid_type' || issue.code === 'invalid_value';
  if (mayBeAbsent && issue.input === undefined) return 'required';
  return issue.code;
}
