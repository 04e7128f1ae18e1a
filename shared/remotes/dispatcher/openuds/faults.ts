import type { AppError } from '../../../kernel/errors.ts';
import { badAnswer, failure } from '../failures.ts';
import type { Node } from '../port.ts';
import { isFresh, type NodeKey } from './node-key.ts';

/**
 * Creates the AppError of an unsuccessful response. The broker answers 403 for a key that has ended and for a missing
 * right, and 500 for the key of a deleted user. So either may be the end of the key, unless the key was just issued.
 * The texts of the broker are not read: some are translated.
 */
export function fromStatus(node: Node, status: number, key: NodeKey | undefined): AppError {
  const mayHaveEnded = key !== undefined && !isFresh(key);
  if (status === 403) return denied(node, mayHaveEnded ? 'unauthorized' : 'forbidden');
  if (status >= 500 && key?.user && mayHaveEnded) return denied(node, 'unauthorized');
  if (status >= 500) return badAnswer(node, 'server_error');
  if (status === 404 || status === 410) return failure('not_found', node);
  return badAnswer(node, 'unexpected_status');
}

export const denied = (node: Node, reason: 'unauthorized' | 'forbidden'): AppError =>
  failure('upstream_refused', node, { reason });

/** The broker refuses the request, without a reason that can be relied on. */
export const refused = (node: Node, reason = 'refused_by_dispatcher'): AppError =>
  failure('invalid_state', node, { reason });
