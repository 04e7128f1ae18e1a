import { finishStep, releaseStep } from '../../../../db/repositories/maintenance/steps.ts';
import { type FleetFarm, findFleetFarm } from '../../../../db/repositories/snapshot/objects.ts';
import { type EndVerb, endingAction, endingNeeds } from '../../../../shared/agents/session-ending.ts';
import { AppError, notFound } from '../../../../shared/kernel/errors.ts';
import type { ListRow } from '../../../../shared/remotes/dispatcher/rows.ts';
import { actAs, callNode, kinds, type Target } from '../../../../shared/sites/calls/actions.ts';
import { assertCapable } from '../../../../shared/sites/calls/capable.ts';
import type { ClaimedStep } from './claimed-step.ts';

type Session = ListRow<'spsessions'>;

const pageSize = 1_000;
/** Sessions ended at the same time. */
const atOnce = 6;
/** Milliseconds after which the remaining sessions are left to the next claim, well before the lease ends. */
const patienceMs = 10_000;

/**
 * Ends the affected sessions according to the template. The list of sessions comes from the node, because the snapshot
 * may lack sessions that were opened just before the start. After a crash, another sidecar ends the remaining sessions.
 */
export async function endSessions(work: ClaimedStep): Promise<void> {
  const { ctx, step, window } = work;
  const endsAt = performance.now() + patienceMs;
  const verb = window.plan.logoff_sessions ? 'logoff' : 'disconnect';
  const farm = await findFleetFarm(ctx.deps.db, step.farm_id);
  if (!farm) throw notFound();
  assertCapable(farm, endingNeeds[verb]);
  const sessions = (await sessionsOf(work, farm)).filter((session) => isInWindow(work, session, verb));
  const waiting = sessions.values();
  let isLate = false;
  const runWorker = async (): Promise<void> => {
    for (const session of waiting) {
      await endSession(work, farm, session, verb);
      isLate ||= performance.now() > endsAt;
      if (isLate) return;
    }
  };
  const workers = await Promise.allSettled(Array.from({ length: atOnce }, runWorker));
  const failed = workers.find((worker) => worker.status === 'rejected');
  if (failed) throw failed.reason;
  if (isLate) await releaseStep(ctx.deps.db, step, 'more');
  else await finishStep(ctx.deps.db, step, ctx.now);
}

const sessionsOf = ({ ctx }: ClaimedStep, farm: FleetFarm): Promise<Session[]> =>
  callNode(ctx, farm, async (call) => {
    const found: Session[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await ctx.deps.dispatchers.list(call, 'spsessions', { limit: pageSize, cursor });
      found.push(...(page?.rows ?? []).map(({ row }) => row));
      if (!page?.next) return found;
      cursor = page.next;
    }
  });

function isInWindow({ window }: ClaimedStep, session: Session, verb: EndVerb): boolean {
  const { workplace_uuid, pool_uuid } = window;
  if (workplace_uuid !== null && session.workplace_uuid !== workplace_uuid) return false;
  if (pool_uuid !== null && session.servicepool_uuid !== pool_uuid) return false;
  return verb === 'logoff' || session.state === 'active';
}

/** Ignores a session that has already ended or is ending. */
async function endSession(
  { ctx, createEntry }: ClaimedStep,
  farm: FleetFarm,
  session: Session,
  verb: EndVerb,
): Promise<void> {
  const { session_uuid: uuid } = session;
  const target: Target = { ...farm, kind: kinds.session, uuid, object: session, person: null, use: null };
  try {
    await actAs(ctx, createEntry, target, endingAction(target, verb, ctx.deps.dispatchers, ctx.now));
  } catch (error) {
    if (!(error instanceof AppError && ['not_found', 'invalid_state'].includes(error.code))) throw error;
  }
}
