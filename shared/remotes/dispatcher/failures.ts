import { AppError, type ErrorCode, type ErrorMembers } from '../../kernel/errors.ts';
import type { Detail } from '../../messages/message.ts';
import { problemOf } from '../http/problems.ts';
import { TransportError } from '../http/transport.ts';
import { isCapable } from './capabilities.ts';
import type { Node } from './port.ts';

/**
 * The reason why a response cannot be used. As every `reason`, it is a stable code of the portal, never text from the
 * node.
 */
export type AnswerFault =
  | 'server_error'
  | 'unexpected_status'
  | 'not_json'
  | 'wrong_shape'
  | 'too_large'
  /** The list does not end: a cursor is repeated, or too many consecutive pages are empty. */
  | 'repeated_cursor'
  | 'empty_pages';

/** True if the node rejected the session key or token, so that a new one can succeed. */
export const isUnauthorized = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'upstream_refused' && error.members.reason === 'unauthorized';

/** True if the node rejected the key, or the request that was made with it. */
export const isKeyRefused = (error: unknown): boolean =>
  isUnauthorized(error) ||
  (error instanceof AppError && error.code === 'upstream_refused' && error.members.reason === 'forbidden');

/** Errors of a connection that was not established. Cloudflare reports them as 521 and 523. */
const notConnected = /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_\w+|521|523)$/;

/** True if no part of the request can have reached the node. */
export function isUnsent(error: unknown): boolean {
  const cause = error instanceof AppError ? error.cause : undefined;
  if (!(cause instanceof TransportError)) return false;
  return cause.reason === 'address_not_allowed' || notConnected.test(cause.code ?? '');
}

/** Reason of `upstream_unavailable`: the node may have given the user a machine, but did not answer. */
export const outcomeUnknown = 'outcome_unknown';

/** Reasons of responses that carry nothing out. */
const declined: readonly unknown[] = ['unexpected_status', 'redirect'];

/**
 * True if the request can have reached the node, and no response or none that can be read came. With a server error, the
 * node or a proxy in front of it has stopped at an unknown point.
 */
const isUnanswered = (error: unknown): boolean => {
  if (!(error instanceof AppError) || isUnsent(error)) return false;
  if (error.code === 'upstream_timeout') return true;
  return error.code === 'upstream_failed' && !declined.includes(error.members.reason);
};

/**
 * The error of a request for a connection. An unanswered one is `upstream_unavailable` with the reason
 * `outcome_unknown`, unless the kind declares that the request may be repeated at another farm.
 */
export const fromConnecting = (node: Node, error: unknown): unknown =>
  isUnanswered(error) && !isCapable(node.kind, 'repeatable_connections')
    ? failure('upstream_unavailable', node, { reason: outcomeUnknown }, error)
    : error;

/** @returns an AppError for an exchange without a response; other errors are returned unchanged */
export function fromTransport(node: Node, error: unknown): unknown {
  if (!(error instanceof TransportError)) return error;
  const { code, members } = problemOf(error);
  return failure(code, node, members, error);
}

export const badAnswer = (node: Node, reason: AnswerFault, cause?: Error): AppError =>
  failure('upstream_failed', node, { reason }, cause);

/** Details for dispatchers. Codes and titles are the same for all upstream servers. */
const details: Partial<Record<ErrorCode, Detail>> = {
  upstream_failed: 'The dispatcher did not return a valid response',
  upstream_refused: 'The dispatcher rejected the request',
  upstream_tls: 'The TLS connection to the dispatcher failed',
  upstream_timeout: 'The dispatcher did not respond in time',
  not_known_here: 'The dispatcher does not accept the account of the user',
  upstream_unavailable: 'The dispatcher did not respond, and may have prepared the connection',
};

/** Creates the error of a call to a node. */
export const failure = (code: ErrorCode, node: Node, members: ErrorMembers = {}, cause?: unknown): AppError =>
  new AppError(code, details[code], { ...members, dispatcher: node.name }, { cause });
