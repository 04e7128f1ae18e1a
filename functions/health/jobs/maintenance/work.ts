import type { Step } from '../../../../db/repositories/maintenance/steps.ts';
import type { MaintenanceWindow } from '../../../../db/repositories/maintenance/windows.ts';
import type { Scope } from '../../../../db/repositories/records/scope.ts';
import type { Semaphore } from '../../../../shared/kernel/concurrency/semaphore.ts';
import { newId } from '../../../../shared/kernel/ids.ts';
import type { Parameters } from '../../../../shared/kernel/system-parameters.ts';
import type { Teller } from '../../../../shared/sites/calls/actions.ts';
import type { FarmCtx } from '../../../../shared/sites/calls/farm-calls.ts';
import type { MaintenanceDeps } from './events.ts';

export type WorkCtx = FarmCtx & { scope: Scope };

/** A step that was claimed, with all that it takes to do it. */
export type Work = { ctx: WorkCtx; tell: Teller; window: MaintenanceWindow; step: Step };

export type StepParts = { deps: MaintenanceDeps; parameters: Parameters; upstream: Semaphore; now: Date };

/** What calls of farms need, where there is no request. @param begun gets what nobody waits for yet */
export function workCtx({ deps, parameters, upstream, now }: StepParts, begun: Promise<unknown>[]): WorkCtx {
  const keep = (work: Promise<unknown>): void => {
    begun.push(
      work.catch((error: unknown) =>
        deps.log.warn('a session key or circuit breaker state could not be stored', { error }),
      ),
    );
  };
  const requestId = newId();
  return {
    deps,
    parameters,
    scope: '*',
    now,
    requestId,
    trace: { requestId, traceparent: '' },
    background: keep,
    later: (write) => keep(Promise.resolve(write())),
    upstream,
  };
}

/** What users are told: what came with the order, or else what the template says. */
export const messageOf = ({ message, plan }: MaintenanceWindow): string => message ?? plan.message;
