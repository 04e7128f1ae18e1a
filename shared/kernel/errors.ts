import { type Detail, inLanguage, type Text } from '../messages/message.ts';

/** Properties of a problem code: HTTP status, RFC 9457 title, and whether a retry may succeed. */
type ProblemProperties = { status: number; title: Detail; retryable?: true; retryAfterS?: number };

/**
 * The closed table of problem codes; the RFC 9457 `type` is `/api/errors/<code>`. Within API version 7.0 codes are
 * added but never changed or removed.
 */
export const errorCodes = {
  malformed_json: { status: 400, title: 'The body is not valid JSON' },
  malformed_request: { status: 400, title: 'The request is not valid HTTP' },
  malformed_cursor: { status: 400, title: 'The cursor is not valid for this list' },
  unauthenticated: { status: 401, title: 'Credentials are required' },
  invalid_token: { status: 401, title: 'The token or key is invalid or has expired' },
  invalid_credentials: { status: 401, title: 'The credentials are incorrect' },
  invalid_signature: { status: 401, title: 'The signature does not match the certificate' },
  login_expired: { status: 401, title: 'The login does not exist or has expired' },
  certificate_not_trusted: { status: 401, title: 'The certificate is issued by an unknown authority' },
  certificate_invalid: { status: 401, title: 'The certificate is not valid' },
  certificate_revoked: { status: 401, title: 'The certificate has been revoked' },
  certificate_mismatch: { status: 401, title: 'The certificate belongs to another account' },
  certificate_wrong_purpose: { status: 401, title: 'The certificate is not intended for logins' },
  forbidden: { status: 403, title: 'The caller lacks the required permission' },
  two_factor_required: { status: 403, title: 'The domain requires a second factor' },
  redirect_required: { status: 403, title: 'The domain requires a sign-in at its identity provider' },
  password_change_required: { status: 403, title: 'The password must be changed first' },
  no_registered_group: { status: 403, title: 'No group of the user is registered' },
  account_disabled: { status: 403, title: 'The account is disabled' },
  account_locked: { status: 403, title: 'The account is locked' },
  account_restricted: {
    status: 403,
    title: 'The account is not allowed to log in at this time or from this computer',
  },
  account_expired: { status: 403, title: 'The account has expired' },
  password_expired: { status: 403, title: 'The password of the account has expired' },
  not_known_here: { status: 403, title: 'The account cannot be used at this site' },
  https_required: { status: 403, title: 'HTTPS is required' },
  not_found: { status: 404, title: 'The resource does not exist' },
  method_not_allowed: { status: 405, title: 'The method is not supported for this path' },
  not_acceptable: { status: 406, title: 'The response is not available in an accepted media type' },
  request_timeout: { status: 408, title: 'The request was not received in time', retryable: true },
  already_exists: { status: 409, title: 'The object already exists' },
  in_use: { status: 409, title: 'The object is referenced by other objects' },
  invalid_state: { status: 409, title: 'The operation is not possible in the current state' },
  service_in_preparation: {
    status: 409,
    title: 'The service is being prepared',
    retryable: true,
    retryAfterS: 5,
  },
  export_pending: {
    status: 409,
    title: 'The export file is still being built',
    retryable: true,
    retryAfterS: 2,
  },
  idempotency_in_progress: { status: 409, title: 'The request with this key is still running' },
  outcome_unknown: { status: 409, title: 'The outcome of the request with this key is unknown' },
  expired: { status: 410, title: 'The resource has expired' },
  precondition_failed: { status: 412, title: 'The object has changed since it was read' },
  body_too_large: { status: 413, title: 'The request body is too large' },
  unsupported_media_type: { status: 415, title: 'The media type is not supported' },
  expectation_failed: { status: 417, title: 'The expectation in the header Expect is not supported' },
  invalid_request: { status: 422, title: 'The request is not valid' },
  idempotency_mismatch: { status: 422, title: 'The idempotency key was used for another request' },
  secret_required: { status: 422, title: 'The stored secret must be sent again' },
  headers_too_large: { status: 431, title: 'The request headers are too large' },
  rate_limited: { status: 429, title: 'Too many requests', retryable: true, retryAfterS: 1 },
  locked_out: { status: 429, title: 'Too many failed attempts', retryable: true, retryAfterS: 300 },
  internal: { status: 500, title: 'Internal error' },
  upstream_failed: {
    status: 502,
    title: 'The upstream server did not return a valid response',
    retryable: true,
  },
  upstream_refused: { status: 502, title: 'The upstream server rejected the request', retryable: true },
  upstream_tls: { status: 502, title: 'The TLS connection to the upstream server failed', retryable: true },
  upstream_unavailable: {
    status: 503,
    title: 'No upstream server is available',
    retryable: true,
    retryAfterS: 5,
  },
  gateway_unavailable: {
    status: 503,
    title: 'No gateway is available',
    retryable: true,
    retryAfterS: 5,
  },
  overloaded: { status: 503, title: 'Too many requests are queued', retryable: true, retryAfterS: 5 },
  database_unavailable: {
    status: 503,
    title: 'The database is not available',
    retryable: true,
    retryAfterS: 5,
  },
  upstream_timeout: {
    status: 504,
    title: 'The upstream server did not respond in time',
    retryable: true,
    retryAfterS: 5,
  },
} as const satisfies Record<string, ProblemProperties>;

export type ErrorCode = keyof typeof errorCodes;

/** @returns the properties of a code in their common type */
export const problemProperties = (code: ErrorCode): ProblemProperties => errorCodes[code];

/**
 * An error of one field. `pointer` is a JSON Pointer (RFC 6901) into the body, `?name` for a query parameter, or the
 * name of a header.
 */
export type FieldError = { pointer: string; code: string; detail: Text };

export type ErrorMembers = {
  errors?: FieldError[];
  /** Seconds. Overrides the value of the problem code. */
  retry_after_s?: number;
  [member: string]: unknown;
};

/**
 * An error that is reported to the caller with its code; all other errors are reported as `internal`. `members`
 * become extension members of the problem document; `message` is `detail` in English.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly detail: Text;
  readonly members: ErrorMembers;

  constructor(code: ErrorCode, detail?: Text, members: ErrorMembers = {}, options?: ErrorOptions) {
    const text = detail ?? errorCodes[code].title;
    super(inLanguage(text, 'en'), options);
    this.name = 'AppError';
    this.code = code;
    this.detail = text;
    this.members = members;
  }
}

export const notFound = (): AppError => new AppError('not_found');

/** Maximum of `errors` entries in a problem; without it the response could be larger than the request by far. */
export const maxFieldErrors = 100;

/** The request has invalid fields, with one entry per field. */
export const invalid = (...errors: FieldError[]): AppError =>
  new AppError('invalid_request', errors[0]?.detail, { errors: errors.slice(0, maxFieldErrors) });

/**
 * The current state does not allow the operation. `reason` is a stable machine-readable word, `detail` a sentence.
 */
export const conflict = (reason: string, detail: Text): AppError =>
  new AppError('invalid_state', detail, { reason });
