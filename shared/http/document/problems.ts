import { z } from 'zod';
import { AppError, type ErrorCode, errorCodes, problemProperties } from '../../kernel/errors.ts';
import { moduleOf } from '../../modules.ts';
import type { Operation } from '../declare/operation.ts';
import { problemOf } from '../problem.ts';
import { refusalInResultForm } from '../serve/result-form.ts';
import { isScimPath, scimErrorOf, scimStatusOf } from '../serve/scim-form.ts';
import { takesKey } from '../writes/modes.ts';

const FieldFault = z.looseObject({
  pointer: z
    .string()
    .describe(
      'JSON Pointer to the field in the body, `?name` for a query parameter, or the name of a header.',
    ),
  code: z.string().describe('Stable code of the error, such as `required` or `unknown`.'),
  detail: z.string().describe('Explanation of the error.'),
});

/** An RFC 9457 problem document with the additional members of some codes. */
export const Problem = z
  .looseObject({
    type: z
      .string()
      .describe(
        'Address of the page that explains the code: `/api/errors/<code>`. Relative, except on the health port.',
      ),
    title: z
      .string()
      .describe('Short description of the problem type. It is the same for every occurrence of the code.'),
    status: z.int().describe('HTTP status of the response.'),
    detail: z.string().describe('Explanation of this occurrence of the problem.'),
    instance: z.string().describe('Identifier of the request, as in the header `X-Request-Id`.'),
    code: z
      .enum(Object.keys(errorCodes) as ErrorCode[])
      .describe('Stable code of the problem, for programs.'),
    retryable: z.boolean().describe('True if the same request may succeed later.'),
    errors: z
      .array(FieldFault)
      .optional()
      .describe('Errors of the request, one for each invalid field. Present with `invalid_request`.'),
    required_permission: z
      .string()
      .optional()
      .describe(
        'Permission that the caller lacks. Present with `forbidden` if a single permission is required.',
      ),
    missing: z
      .array(z.string())
      .optional()
      .describe(
        'Permissions that the caller lacks. Present with `forbidden` if several permissions are required.',
      ),
    existing_id: z
      .string()
      .optional()
      .describe('Identifier of the object that already has the unique value. Present with `already_exists`.'),
    references: z
      .array(
        z.looseObject({
          type: z.string().describe('Type of the referring object, as in operation identifiers.'),
          id: z.string().describe('Identifier of the referring object.'),
          name: z.string().describe('Name of the referring object.'),
        }),
      )
      .optional()
      .describe('Objects that refer to this one. Present with `in_use`.'),
    reason: z.string().optional().describe('Stable word that specifies the cause within the code.'),
    policy: z
      .enum(['session', 'address', 'directory-test', 'dispatcher-test'])
      .optional()
      .describe(
        'Exceeded limit: `session`, `address`, `directory-test` (tests of domains) or `dispatcher-test` (tests of dispatcher nodes). Present with `rate_limited`.',
      ),
    limit_per_minute: z
      .int()
      .optional()
      .describe('Exceeded limit in requests per minute. Present with `rate_limited`.'),
    limit_bytes: z
      .int()
      .optional()
      .describe('Maximum size of the body in bytes. Present with `body_too_large`.'),
  })
  .meta({ id: 'Problem' });

/** The error of modules that use one form for all responses. */
export const ResultRefusal = z
  .looseObject({
    result: z.null().describe('Always null.'),
    stamp: z.int().describe('Time of the response in Unix seconds.'),
    version: z.string().describe('Version of the portal.'),
    error: z.string().describe('Problem code, a colon and an explanation.'),
  })
  .meta({ id: 'ResultRefusal' });

/** The error of SCIM (RFC 7644, 3.12). */
export const ScimRefusal = z
  .looseObject({
    schemas: z.array(z.string()).describe('URN of the message.'),
    status: z.string().describe('HTTP status of the response, as a text.'),
    scimType: z.string().optional().describe('Keyword of RFC 7644 (3.12) or RFC 9865, such as `uniqueness`.'),
    detail: z.string().describe('Explanation of the error.'),
  })
  .meta({ id: 'ScimRefusal' });

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
  | 'rateLimit'
  | 'exceptErrors'
>;

/** Returns the error codes of an operation by status, both in ascending order. */
export function problemsOf(operation: Declared): [status: number, codes: ErrorCode[]][] {
  const { errors = [], exceptErrors = [] } = operation;
  const derived = derivedCodes(operation).filter((code) => !exceptErrors.includes(code));
  const codes = [...new Set([...derived, ...errors])].sort();
  const statusOf = isScimPath(operation.path)
    ? scimStatusOf
    : (code: ErrorCode) => problemProperties(code).status;
  const statuses = [...new Set(codes.map(statusOf))].sort((a, b) => a - b);
  return statuses.map((status) => [status, codes.filter((code) => statusOf(code) === status)]);
}

function derivedCodes(operation: Declared): ErrorCode[] {
  const { access, method, path, query, ...rest } = operation;
  const isPaged = query instanceof z.ZodObject && Object.hasOwn(query.shape, 'cursor');
  const codes: [boolean, ErrorCode[]][] = [
    // A server rejects malformed HTTP before it selects the operation.
    [true, ['https_required', 'internal', 'malformed_request', 'database_unavailable', 'overloaded']],
    // All operations reject unknown parameters.
    [true, ['invalid_request']],
    [rest.rateLimit !== 'none', ['rate_limited']],
    [takesKey(operation), ['idempotency_in_progress', 'idempotency_mismatch', 'outcome_unknown']],
    [access !== 'public', ['unauthenticated', 'invalid_token']],
    [access !== 'public' && !rest.duringPasswordChange, ['password_change_required']],
    [access !== 'public' && !(access === 'signed-in' && rest.forPeers), ['forbidden']],
    [rest.body !== undefined, ['unsupported_media_type', 'body_too_large', 'malformed_json']],
    [isPaged, ['malformed_cursor']],
    [path.includes('{'), ['not_found']],
    [rest.conditional === true && method !== 'GET', ['precondition_failed']],
  ];
  return codes.flatMap(([applies, these]) => (applies ? these : []));
}

/** True for operations whose errors have the same form as their other responses. */
const isInResultForm = (path: string): boolean => moduleOf(path)?.answers === 'result';

/**
 * Returns the name of a response. Operations with the same errors share one response. The name is an identifier,
 * because client generators create types from it.
 */
export const problemName = (status: number, codes: readonly ErrorCode[], path = ''): string => {
  const words = codes.flatMap((code) => code.split('_'));
  const named = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('');
  if (isScimPath(path)) return `Scim${status}${named}`;
  return `${isInResultForm(path) ? 'Result' : 'Problem'}${status}${named}`;
};

/** Creates the response of a status. Its codes are the values of `code`, or the prefixes of `error`. */
export const problemResponseOf = (status: number, codes: readonly ErrorCode[], path = '') => ({
  description: codes.map((code) => `\`${code}\`: ${problemProperties(code).title}`).join('. '),
  headers: {
    'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
    ...(status === 401 && { 'WWW-Authenticate': { $ref: '#/components/headers/WWW-Authenticate' } }),
    ...(codes.includes('rate_limited') && {
      RateLimit: { $ref: '#/components/headers/RateLimit' },
      'RateLimit-Policy': { $ref: '#/components/headers/RateLimit-Policy' },
    }),
    ...(codes.some((code) => problemProperties(code).retryAfterS) && {
      'Retry-After': { $ref: '#/components/headers/Retry-After' },
    }),
  },
  content: contentIn(path, status, codes),
});

function contentIn(path: string, status: number, codes: readonly ErrorCode[]) {
  if (isScimPath(path)) return scimContentOf(codes);
  return isInResultForm(path) ? resultContentOf(status, codes) : problemContentOf(status, codes);
}

const scimContentOf = (codes: readonly ErrorCode[]) => ({
  'application/scim+json': {
    schema: { $ref: '#/components/schemas/ScimRefusal' },
    examples: Object.fromEntries(codes.map((code) => [code, { value: scimErrorOf(new AppError(code)) }])),
  },
  ...(codes.includes('malformed_request') && problemContentOf(400, ['malformed_request'])),
});

const problemContentOf = (status: number, codes: readonly ErrorCode[]) => ({
  'application/problem+json': problemDocumentOf(status, codes),
});

/** Malformed HTTP is rejected as a problem document, because the operation is not yet known. */
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

/** Fixed values for the examples. */
const moment = new Date('2026-11-21T08:30:00.000Z');
const instance = '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11';
