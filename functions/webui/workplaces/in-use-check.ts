import { scopeOf } from '../../../shared/context/rights.ts';
import { AppError, conflict } from '../../../shared/kernel/errors.ts';
import type { MachineAction } from '../../../shared/remotes/dispatcher/orders.ts';
import type { Target } from '../../../shared/sites/calls/actions.ts';
import { isStale } from '../../../shared/snapshot/freshness.ts';
import type { WebuiCtx } from '../deps.ts';

/** What interrupts the work of a user at the machine. */
const destructive: readonly MachineAction[] = ['shutdown', 'poweroff', 'reboot', 'reset', 'suspend'];
export const interruptsWork = (action: MachineAction): boolean => destructive.includes(action);

/**
 * Protects the work of users from an action. Dispatchers differ in what they reject, so the portal decides by its
 * own data from dispatchers and agents.
 * @throws AppError `invalid_state` with the reason `session_live`, `use_unknown` if the dispatcher does not report
 *   it, or `snapshot_stale` if the data is too old; `forbidden` for `force` without `workplaces.force` at the site
 */
export function assertNotInUse(ctx: WebuiCtx, { site, object, use }: Target, force: boolean): void {
  if (force) {
    assertMayForce(ctx, site.id);
    return;
  }
  if (object.in_use === true || (use !== null && use.sessions > 0))
    throw conflict('session_live', 'A user is working at the workplace; set `force` to interrupt the work');
  if (object.in_use === null)
    throw conflict(
      'use_unknown',
      'The dispatcher does not report whether a user is working at the workplace; set `force` to continue anyway',
    );
  if (use === null || isStale(use.as_of, ctx.parameters['aggregator.sync_interval_s'], ctx.now))
    throw conflict(
      'snapshot_stale',
      'It is unknown whether a user is working at the workplace; set `force` to continue anyway',
    );
}

function assertMayForce({ principal }: WebuiCtx, siteId: string): void {
  const required_permission = 'workplaces.force';
  const scope = scopeOf(principal, required_permission);
  if (scope === '*' || scope?.includes(siteId)) return;
  throw new AppError('forbidden', 'No role of the caller grants this permission', { required_permission });
}
