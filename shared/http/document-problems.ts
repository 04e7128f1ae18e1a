import { z } from 'zod';
import { AppError, codeFacts, type ErrorCode, errorCodes } from '../kernel/errors.ts';
import { moduleOf } from '../modules.ts';
import type { Operation } from './operation.ts';
import { problemOf } from './problem.ts';
import { refusalInResultForm } from './result-form.ts';
import { takesKey } from './write-modes.ts';

const FieldFault = z.looseObject({
  pointer: z.string().meta({
    description: 'JSON Pointer into the body, `?name` for a query parameter, or the name of a header',
  }),
  code: z.string(),
  detail: z.string(),
});

/** An RFC 9457 problem document with the members that some codes add. */
export const Problem = z
  .looseObject({
    type: z.string().meta({ description: '`/api/errors/<code>`: what the code means' }),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string().meta({ description: 'The request id' }),
    code: z.enum(Object.keys(errorCodes) as ErrorCode[]),
    retryable: z.boolean().meta({ description: 'Whether trying again may help' }),
    errors: z.array(FieldFault).optional().meta({ description: 'One entry a field' }),
    required_permission: z.string().optional().meta({ description: 'Of `forbidden`' }),
    missing: z.array(z.string()).optional().meta({ description: 'Of `forbidden`: permissions at stake' }),
    existing_id: z.string().optional().meta({ description: 'Of `already_exists`' }),
    references: z
      .array(z.looseObject({ type: z.string(), id: z.string(), name: z.string() }))
      .optional()
      .meta({ description: 'Of `in_use`: the objects that refer to this one' }),
    reason: z.string().optional().meta({ description: 'A stable word' }),
    policy: z
      .enum(['session', 'address', 'directory-test'])
      .optional()
      .meta({ description: 'Of `rate_limited`' }),
    limit_per_minute: z.int().optional().meta({ description: 'Of `rate_limited`' }),
    limit_bytes: z.int().optional().meta({ description: 'Of `body_too_large`' }),
  })
  .meta({ id: 'Problem' });

/** The refusal of modules that have one form for all their answers. */
export const ResultRefusal = z
  .looseObject({
    result: z.null(),
    stamp: z.int().meta({ description: 'Unix seconds' }),
    version: z.string(),
    error: z.string().meta({ description: 'The problem code, a colon, and what is wrong in words' }),
  })
  .meta({ id: 'ResultRefusal' });

type Declared = Pick<
  Operation<never>,
  | 'access'
  | 'method'
  | 'path'
  | 'query'
  | 'body'
  | 'conditional'
  | 'duringPasswordChange'
  | 'forPeers'
  | 'errors'
  | 'readsOnly'
  | 'mediaType'
  | 'alsoReturns'
  | 'unmetered'
  | 'refusesBy'
  | 'orUnavailable'
>;

/** The codes that an operation can answer, by status, both in ascending order. */
export function problemsOf(operation: Declared): [status: number, codes: ErrorCode[]][] {
  const codes = [...new Set([...derivedCodes(operation), ...(operation.errors ?? [])])].sort();
  const statuses = [...new Set(codes.map((code) => codeFacts(code).status))].sort((a, b) => a - b);
  return statuses.map((status) => [status, codes.filter((code) => codeFacts(code).status === status)]);
}

function derivedCodes(operation: Declared): ErrorCode[] {
  const { access, method, path, query, ...rest } = operation;
  const isPaged = query instanceof z.ZodObject && Object.hasOwn(query.shape, 'cursor');
  const codes: [boolean, ErrorCode[]][] = [
    // A server refuses what is not well-formed HTTP, before it looks for the operation.
    [true, ['https_required', 'internal', 'malformed_request']],
    [!rest.orUnavailable, ['database_unavailable']],
    // Unknown parameters are refused everywhere.
    [!rest.refusesBy, ['invalid_request']],
    [rest.refusesBy !== undefined, rest.refusesBy ? [rest.refusesBy] : []],
    [!rest.unmetered, ['rate_limited']],
    [takesKey(operation), ['idempotency_in_progress', 'idempotency_mismatch', 'outcome_unknown']],
    [access !== 'public', ['unauthenticated', 'invalid_token']],
    [access !== 'public' && !rest.duringPasswordChange, ['password_change_required']],
    [access !== 'public' && !(access === 'signed-in' && rest.forPeers), ['forbidden']],
    [rest.body !== undefined, ['unsupported_media_type', 'body_too_large', 'malformed_json']],
    [isPaged, ['malformed_cursor']],
    [path.includes('{') && !rest.refusesBy, ['not_found']],
    [rest.conditional === true && method !== 'GET', ['precondition_failed']],
  ];
  return codes.flatMap(([applies, these]) => (applies ? these : []));
}

/** True for operations that refuse in the form of all their answers. */
const isInResultForm = (path: string): boolean => moduleOf(path)?.answers === 'result';

/**
 * Operations that fail alike share one response. Its name is an identifier, because generators make types of such names.
 */
export const problemName = (status: number, codes: readonly ErrorCode[], path = ''): string => {
  const words = codes.flatMap((code) => code.split('_'));
  const named = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('');
  return `${isInResultForm(path) ? 'Result' : 'Problem'}${status}${named}`;
};

/** The response of a status, its codes as the values of `code`, or as what `error` begins with. */
export const problemResponseOf = (status: number, codes: readonly ErrorCode[], path = '') => ({
  description: codes.map((code) => `\`${code}\`: ${codeFacts(code).title}`).join('. '),
  headers: {
    'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
    ...(status === 401 && { 'WWW-Authenticate': { $ref: '#/components/headers/WWW-Authenticate' } }),
    ...(codes.includes('rate_limited') && {
      RateLimit: { $ref: '#/components/headers/RateLimit' },
      'RateLimit-Policy': { $ref: '#/components/headers/RateLimit-Policy' },
    }),
    ...(codes.some((code) => codeFacts(code).retryAfterS) && {
      'Retry-After': { $ref: '#/components/headers/Retry-After' },
    }),
  },
  content: isInResultForm(path) ? resultContentOf(status, codes) : problemContentOf(status, codes),
});

const problemContentOf = (status: number, codes: readonly ErrorCode[]) => ({
  'application/problem+json': problemDocumentOf(status, codes),
});

/** What is not well-formed HTTP is refused before it is known which operation it is about. */
const resultContentOf = (status: number, codes: readonly ErrorCode[]) => ({
  'application/json': resultRefusalOf(codes),
  ...(codes.includes('malformed_request') && problemContentOf(status, ['malformed_request'])),
});

const problemDocumentOf = (status: number, codes: readonly ErrorCode[]) => ({
  schema: {
    allOf: [
      { $ref: '#/components/schemas/Problem' },
      { type: 'object', properties: { status: { const: status }, code: { enum: [...codes] } } },
    ],
  },
  examples: Object.fromEntries(
    codes.map((code) => [code, { value: problemOf(new AppError(code), instance) }]),
  ),
});

const resultRefusalOf = (codes: readonly ErrorCode[]) => ({
  schema: {
    allOf: [
      { $ref: '#/components/schemas/ResultRefusal' },
      { type: 'object', properties: { error: { pattern: `^(${codes.join('|')}): ` } } },
    ],
  },
  examples: Object.fromEntries(
    codes.map((code) => [code, { value: refusalInResultForm(new AppError(code), moment) }]),
  ),
});

/** Of the examples. */
const moment = new Date('2026-11-21T08:30:00.000Z');
const instance = '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11';
