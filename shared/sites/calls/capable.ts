import type { FleetFarm } from '../../../db/repositories/snapshot/objects.ts';
import { AppError, conflict } from '../../kernel/errors.ts';
import { type Capability, isCapable } from '../../remotes/dispatcher/capabilities.ts';

const notSupported = 'not_supported_by_dispatcher';

/** True for a farm without enabled nodes as well: the call fails. */
export const isCapableOf = (
  { nodes: [node] }: Pick<FleetFarm, 'nodes'>,
  needs: readonly Capability[],
): boolean => !node || needs.some((one) => isCapable(node.kind, one));

/**
 * All nodes of a farm are of one kind. A farm without enabled nodes is left to the call, which fails.
 * @param needs capabilities of which one is sufficient
 * @throws AppError `invalid_state` with the reason `not_supported_by_dispatcher`
 */
export function assertCapable(
  farm: Pick<FleetFarm, 'nodes'>,
  needs: readonly Capability[] | undefined,
): void {
  if (!needs || isCapableOf(farm, needs)) return;
  throw conflict(notSupported, 'Dispatchers of this kind cannot do this');
}

export const isNotSupported = (error: unknown): boolean =>
  error instanceof AppError && error.members.reason === notSupported;
