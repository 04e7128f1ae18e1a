import { AppError } from '../../kernel/errors.ts';
import { failure } from './failures.ts';
import type { Node } from './port.ts';

/**
 * Why a node has nothing for a person who may use the portal. The node works, and asking again does not help:
 * `unknown`: it has no such user, or does not accept the user; `inactive`: the user is disabled there; `no_groups`: the
 * user is in no group there; `privileged_account`: staff or an administrator of the node, whose key would have these
 * rights; `domain_not_linked`: it has no domain with the label of the person.
 */
export const refusalReasons = [
  'unknown',
  'inactive',
  'no_groups',
  'privileged_account',
  'domain_not_linked',
] as const;
export type RefusalReason = (typeof refusalReasons)[number];

/** The reason of a refusal. It is not a member of the error, because problem documents show members to the person. */
class Refusal extends Error {
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason) {
    super(reason);
    this.reason = reason;
  }
}

/** The node answered, and has nothing for the person. It is neither a failure of the node nor a missing answer. */
export const personRefused = (node: Node, reason: RefusalReason): AppError =>
  failure('not_known_here', node, {}, new Refusal(reason));

/** @returns the reason if a node refused the person; undefined for all other errors */
export function refusalReasonOf(error: unknown): RefusalReason | undefined {
  if (!(error instanceof AppError) || error.code !== 'not_known_here') return undefined;
  for (let link: unknown = error; link instanceof Error; link = link.cause)
    if (link instanceof Refusal) return link.reason;
  return undefined;
}
