import { AppError, type ErrorCode, type ErrorMembers } from '../../kernel/errors.ts';
import type { Detail } from '../../messages/message.ts';
import { problemOf } from '../http/problems.ts';
import { TransportError } from '../http/transport.ts';
import type { Node } from './port.ts';
import { Preparation } from './shapes.ts';

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

/**
 * The AppError of an answer that is no success.
 * @param isAction true when the call is about one object on behalf of a user: then 404, 409, 410 and 422 are about
 *   that object; elsewhere they only say that the node does not speak our language
 */
export function fromStatus(node: Node, status: number, body: unknown, isAction: boolean): AppError {
  if (status === 401) return failure('upstream_refused', node, { reason: 'unauthorized' });
  if (status === 403) return failure('upstream_refused', node, { reason: 'forbidden' });
  if (status >= 500) return badAnswer(node, 'server_error');
  // Some say of what has ended that it is gone, where others do not know it any more.
  if (isAction && (status === 404 || status === 410)) return failure('not_found', node);
  if (isAction && (status === 409 || status === 422)) return fromConflict(node, body);
  return badAnswer(node, 'unexpected_status');
}

function fromConflict(node: Node, body: unknown): AppError {
  const parsed = Preparation.safeParse(body);
  if (!parsed.success) return failure('invalid_state', node, { reason: 'refused_by_dispatcher' });
  const { reason_code, percent, retry_after_ms } = parsed.data;
  const retry_after_s = Math.max(1, Math.ceil(retry_after_ms / 1000));
  const members = { reason_code, ...(percent !== undefined && { percent }), retry_after_ms, retry_after_s };
  return failure('service_in_preparation', node, members);
}

/** Codes and titles are the same for all upstream servers. */
const details: Partial<Record<ErrorCode, Detail>> = {
  upstream_failed: 'The dispatcher did not return a valid response',
  upstream_refused: 'The dispatcher rejected the request',
  upstream_tls: 'The TLS connection to the dispatcher failed',
  upstream_timeout: 'The dispatcher did not respond in time',
};

const failure = (code: ErrorCode, node: Node, members: ErrorMembers = {}, cause?: unknown): AppError =>
  new AppError(code, details[code], { ...members, dispatcher: node.name }, { cause });
