import type { AppError } from '../../../kernel/errors.ts';
import { badAnswer, failure } from '../failures.ts';
import type { Node } from '../port.ts';
import { Preparation } from './client-shapes.ts';

/**
 * Creates the AppError of an unsuccessful response.
 * @param isAction true if the call concerns one object on behalf of a user: 404, 409, 410 and 422 then refer to that
 *   object; otherwise they mean that the node does not support the API
 */
export function fromStatus(node: Node, status: number, body: unknown, isAction: boolean): AppError {
  if (status === 401) return failure('upstream_refused', node, { reason: 'unauthorized' });
  if (status === 403) return failure('upstream_refused', node, { reason: 'forbidden' });
  if (status >= 500) return badAnswer(node, 'server_error');
  // Some nodes respond with 410 for objects that no longer exist, others with 404.
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
