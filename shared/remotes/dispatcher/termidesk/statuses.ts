import type { AppError } from '../../../kernel/errors.ts';
import { badAnswer, failure } from '../failures.ts';
import type { Node } from '../port.ts';
import { Preparation } from './client-shapes.ts';

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
