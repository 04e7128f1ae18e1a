import { releaseStep, type Step } from '../../../db/repositories/maintenance-steps.ts';
import type { MaintenanceWindow } from '../../../db/repositories/maintenance-windows.ts';
import { actAs, findTarget, isGone, kinds } from '../../../shared/fleet/actions.ts';
import type { Delivery } from '../../../shared/remotes/dispatcher/action-shapes.ts';
import { isUnauthorized, isUnsent } from '../../../shared/remotes/dispatcher/failures.ts';
import { tellerOf } from './maintenance-events.ts';
import { setFlag, settle } from './maintenance-flags.ts';
import { endSessions } from './maintenance-sessions.ts';
import { messageOf, type StepParts, type Work, workCtx } from './maintenance-work.ts';

/** Does one step, and says so. What a node cannot do now is tried again; what it does not know is done. */
export async function runStep(parts: StepParts, window: MaintenanceWindow, step: Step): Promise<void> {
  const { db, log } = parts.deps;
  const begun: Promise<unknown>[] = [];
  const ctx = workCtx(parts, begun);
  const work = { ctx, tell: tellerOf(window, parts.now, step.failures > 0), window, step };
  try {
    await doers[step.phase](work).catch(async (error: unknown) => {
      if (!isGone(error)) throw error;
      await settle(work);
    });
  } catch (error) {
    log.warn('a step of a maintenance failed and is tried again', { ...step, error });
    await releaseStep(db, step, 'failed');
  }
  await Promise.all(begun);
}

const doers: Record<Step['phase'], (work: Work) => Promise<void>> = {
  warn,
  flag: (work) => setFlag(work, true),
  clear: (work) => setFlag(work, false),
  sessions: endSessions,
};

/** The step is done since it was claimed; it is tried again only when no node can have had the warning. */
async function warn({ ctx, tell, window, step }: Work): Promise<void> {
  const target = await findTarget(ctx, kinds.pool, { farmId: step.farm_id, uuid: step.target });
  const workplace = window.workplace_uuid;
  const to = workplace === null ? { all: true as const } : { workplaces: [workplace] };
  const message = messageOf(window);
  const order = { title: window.plan.title || null, message, level: 'warning' as const, ...to };
  let isSent = false;
  const work = actAs<Delivery>(ctx, tell, target, {
    happening: {
      event: 'portal.WorkplaceAction',
      category: 'workplace',
      action: 'message',
      object_name: String(target.object.name),
      details: { message },
    },
    call: (call) =>
      ctx.deps.dispatchers.sendMessage(call, step.target, order).catch((error: unknown) => {
        isSent ||= !(isUnsent(error) || isUnauthorized(error));
        throw error;
      }),
    written: () => [],
    told: ({ delivered, failed }) => ({ delivered: delivered.length, failed: failed.length }),
  });
  await work.catch((error: unknown) => {
    if (!isSent) throw error;
    ctx.deps.log.warn('a warning of a maintenance may not have arrived', { ...step, error });
  });
}
