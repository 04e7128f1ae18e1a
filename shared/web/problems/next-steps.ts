import type { ErrorCode } from '../../kernel/errors.ts';

/** Codes of requests that have no problem document, as `shared/client` reports them, or that a page does not send. */
type ClientCode =
  | 'connection_failed'
  | 'tls_failed'
  | 'no_problem_document'
  | 'user_changed'
  | 'passkey_not_used'
  | 'passkey_exists';

/** What a person can do. The texts are `next_<step>`. */
export type NextStep =
  | 'administrator'
  | 'check'
  | 'correct'
  | 'network'
  | 'references'
  | 'reload'
  | 'retry'
  | 'sign_in'
  | 'soon'
  | 'wait';

/** The next step of each code. A code without an entry does not compile. */
export const nextSteps: Record<ErrorCode | ClientCode, NextStep> = {
  connection_failed: 'network',
  tls_failed: 'administrator',
  no_problem_document: 'retry',
  user_changed: 'reload',
  passkey_not_used: 'retry',
  passkey_exists: 'reload',
  malformed_json: 'retry',
  malformed_request: 'retry',
  malformed_cursor: 'reload',
  unauthenticated: 'sign_in',
  invalid_token: 'sign_in',
  invalid_credentials: 'correct',
  invalid_signature: 'administrator',
  login_expired: 'sign_in',
  certificate_not_trusted: 'administrator',
  certificate_invalid: 'administrator',
  certificate_revoked: 'administrator',
  certificate_mismatch: 'administrator',
  certificate_wrong_purpose: 'administrator',
  forbidden: 'administrator',
  two_factor_required: 'sign_in',
  redirect_required: 'sign_in',
  password_change_required: 'sign_in',
  no_registered_group: 'administrator',
  account_disabled: 'administrator',
  account_locked: 'administrator',
  account_restricted: 'administrator',
  account_expired: 'administrator',
  password_expired: 'administrator',
  https_required: 'administrator',
  not_known_here: 'administrator',
  not_found: 'reload',
  method_not_allowed: 'administrator',
  not_acceptable: 'administrator',
  request_timeout: 'network',
  already_exists: 'correct',
  in_use: 'references',
  invalid_state: 'reload',
  service_in_preparation: 'wait',
  export_pending: 'wait',
  idempotency_in_progress: 'wait',
  outcome_unknown: 'check',
  expired: 'reload',
  precondition_failed: 'reload',
  body_too_large: 'correct',
  unsupported_media_type: 'administrator',
  expectation_failed: 'administrator',
  invalid_request: 'correct',
  idempotency_mismatch: 'retry',
  secret_required: 'correct',
  headers_too_large: 'administrator',
  rate_limited: 'wait',
  locked_out: 'soon',
  internal: 'retry',
  upstream_failed: 'retry',
  upstream_refused: 'administrator',
  upstream_tls: 'administrator',
  upstream_unavailable: 'soon',
  gateway_unavailable: 'soon',
  overloaded: 'wait',
  database_unavailable: 'wait',
  upstream_timeout: 'soon',
};

const isKnown = (code: string): code is keyof typeof nextSteps => Object.hasOwn(nextSteps, code);

/** The step for a code; a portal of a later version has further codes. */
export const nextStepOf = (code: string): NextStep => (isKnown(code) ? nextSteps[code] : 'retry');
