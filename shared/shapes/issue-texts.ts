import type { z } from 'zod';
import { type Detail, isDetail, Message, message, type Text } from '../messages/message.ts';

type Issue = z.core.$ZodIssue;

/** Returns the text of an issue: the message of the schema, otherwise a text for the type of the issue. */
export function textOf(issue: Issue): Text {
  const text: unknown = issue.code === 'custom' ? issue.params?.text : undefined;
  if (text instanceof Message || (typeof text === 'string' && isDetail(text))) return text;
  // The default messages of zod begin with one of these words.
  const isOwn = !/^(?:Invalid|Too (?:big|small)|Unrecognized)\b/.test(issue.message);
  if (isDetail(issue.message) || isOwn) return issue.message as Detail;
  switch (issue.code) {
    case 'invalid_type':
      return types[issue.expected] ?? 'The value is not valid';
    case 'invalid_value':
      return oneOf(issue.values.map(String));
    case 'too_small':
      return atLeast(issue);
    case 'too_big':
      return atMost(issue);
    case 'not_multiple_of':
      return message('Must be a multiple of {n}', { n: issue.divisor });
    case 'invalid_format':
      return formOf(issue);
    case 'invalid_union':
      return 'Must have one of the accepted forms';
    default:
      return 'The value is not valid';
  }
}

const types: Readonly<Partial<Record<string, Detail>>> = {
  string: 'Must be a string',
  number: 'Must be a number',
  int: 'Must be an integer',
  boolean: 'Must be true or false',
  array: 'Must be an array',
  object: 'Must be an object',
  record: 'Must be an object',
  null: 'Must be null',
};

const oneOf = ([first = '', ...rest]: readonly string[]): Text =>
  rest.length === 0
    ? message('Must be {value}', { value: first })
    : message('Must be one of: {values}', { values: [first, ...rest].join(', ') });

function atLeast({ origin, minimum, inclusive = true }: Issue & { code: 'too_small' }): Text {
  const n = String(minimum);
  if (origin === 'string')
    return n === '1' ? 'Must not be empty' : message('Must have at least {n} characters', { n });
  if (origin === 'array') return message('Must have at least {n} elements', { n });
  return message(inclusive ? 'Must be at least {n}' : 'Must be greater than {n}', { n });
}

function atMost({ origin, maximum, inclusive = true }: Issue & { code: 'too_big' }): Text {
  const n = String(maximum);
  if (origin === 'string') return message('Must have at most {n} characters', { n });
  if (origin === 'array') return message('Must have at most {n} elements', { n });
  return message(inclusive ? 'Must be at most {n}' : 'Must be less than {n}', { n });
}

function formOf({ format, pattern }: Issue & { code: 'invalid_format' }): Text {
  if (format === 'datetime') return 'Must be an RFC 3339 date and time, such as 2026-11-21T08:30:00Z';
  if (format === 'date') return 'Must be an RFC 3339 date, such as 2026-11-21';
  return format === 'regex' && pattern !== undefined
    ? message('Must match {pattern}', { pattern })
    : message('Must have the format {form}', { form: format });
}
