import { AppError, type ErrorCode, type ErrorMembers } from '../../kernel/errors.ts';
import type { Detail } from '../../messages/message.ts';
import { problemOf } from '../http/problems.ts';
import { TransportError } from '../http/transport.ts';
import type { Node } from './port.ts';

/** Why an answer is of no use; like every `reason` a stable word of ours, never a word of the node. */
export type AnswerFault =
  | 'server_error'
  | 'unexpected_status'
  | 'not_json'
  | 'wrong_shape'
  | 'too_large'
  /** A list that never ends: the cursor of a page was there before, or too many pages in a row are empty. */
  | 'repeated_cursor'
  | 'empty_pages';

/** True when the node did not accept the session key or token, so that a new one may help. */
export const isUnauthorized = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'upstream_refused' && error.members.reason === 'unauthorized';

/** Faults of a connection that never came to be; 521 and 523 is how Cloudflare tells of it. */
const notConnected = /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_\w+|521|523)$/;

/** True when nothing of the request can have reached the node. */
export function isUnsent(error: unknown): boolean {
  const cause = error instanceof AppError ? error.cause : undefined;
  if (!(cause instanceof TransportError)) return false;
  return cause.reason === 'address_not_allowed' || notConnected.test(cause.code ?? '');
}

/** @returns the AppError of an exchange without an answer; any other error as it is */
export function fromTransport(node: Node, error: unknown): unknown {
  if (!(error instanceof TransportError)) return error;
  const { code, members } = problemOf(error);
  return failure(code, node, members, error);
}

export const badAnswer = (node: Node, reason: AnswerFault, cause?: Error): AppError =>
  failure('upstream_failed', node, { reason }, cause);

/** Codes and titles are the same for all upstream servers. */
const details: Partial<Record<ErrorCode, Detail>> = {
  upstream_failed: 'The dispatcher did not return a valid response',
  upstream_refused: 'The dispatcher rejected the request',
  upstream_tls: 'The TLS connection to the dispatcher failed',
  upstream_timeout: 'The dispatcher did not respond in time',
};

/** An error of a call of a node. */
export const failure = (code: ErrorCode, node: Node, members: ErrorMembers = {}, cause?: unknown): AppError =>
  new AppError(code, details[code], { ...members, dispatcher: node.name }, { cause });
