import { scopeOf } from '../../../shared/context/rights.ts';
import { AppError, conflict } from '../../../shared/kernel/errors.ts';
import type { Capability } from '../../../shared/remotes/dispatcher/capabilities.ts';
import type { MachineAction } from '../../../shared/remotes/dispatcher/orders.ts';
import type { Target } from '../../../shared/sites/calls/actions.ts';
import { isStale } from '../../../shared/snapshot/freshness.ts';
import type { WebuiCtx } from '../deps.ts';

/** What interrupts the work of a user at the machine. */
const destructive: readonly MachineAction[] = ['shutdown', 'poweroff', 'reboot', 'reset', 'suspend'];
export const interruptsWork = (action: MachineAction): boolean => destructive.includes(action);

/** The capability that the dispatchers of the farm need for an action on a machine. */
export const machineNeeds = (action: MachineAction): readonly Capability[] =>
  action === 'reset' ? ['machine_actions', 'machine_reset'] : ['machine_actions'];

const details = {
  session_live: 'A user is working at the workplace; set `force` to interrupt the work',
  use_unknown:
    'The dispatcher does not report whether a user is working at the workplace; set `force` to continue anyway',
  snapshot_stale: 'It is unknown whether a user is working at the workplace; set `force` to continue anyway',
} as const;

/**
 * Dispatchers differ in what they reject, so the portal decides by its own data from dispatchers and agents.
 * @returns why an action could interrupt work: `session_live`, `use_unknown` if the dispatcher does not report it, or
 *   `snapshot_stale` if the data is too old
 */
export function useConflict(
  ctx: WebuiCtx,
  { object, use }: Pick<Target, 'object' | 'use'>,
): keyof typeof details | undefined {
  if (object.in_use === true || (use !== null && use.sessions > 0)) return 'session_live';
  if (object.in_use === null) return 'use_unknown';
  if (use === null || isStale(use.as_of, ctx.parameters['aggregator.sync_interval_s'], ctx.now))
    return 'snapshot_stale';
  return undefined;
}

/**
 * Protects the work of users from an action.
 * @throws AppError `invalid_state` with the reason of `useConflict`; `forbidden` for `force` without
 *   `workplaces.force` at the site
 */
export function assertNotInUse(ctx: WebuiCtx, { site, object, use }: Target, force: boolean): void {
  if (force) {
    assertMayForce(ctx, site.id);
    return;
  }
  const reason = useConflict(ctx, { object, use });
  if (reason !== undefined) throw conflict(reason, details[reason]);
}

const required_permission = 'workplaces.force';

/** True if the caller may interrupt work at the site. */
export function mayForce({ principal }: Pick<WebuiCtx, 'principal'>, siteId: string): boolean {
  const scope = scopeOf(principal, required_permission);
  return scope === '*' || scope?.includes(siteId) === true;
}

function assertMayForce(ctx: WebuiCtx, siteId: string): void {
  if (mayForce(ctx, siteId)) return;
  throw new AppError('forbidden', 'No role of the caller grants this permission', { required_permission });
}
