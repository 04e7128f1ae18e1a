import { atomically, type Db, type Statement } from '../../../db/client.ts';
import type { AdminFarm } from '../../../db/repositories/admin-farms.ts';
import { appendAudit } from '../../../db/repositories/audit.ts';
import { finishStep, releaseStep, type Step } from '../../../db/repositories/maintenance-steps.ts';
import type { MaintenanceWindow } from '../../../db/repositories/maintenance-windows.ts';
import { removeSession, touchSession } from '../../../db/repositories/snapshot-touch.ts';
import { callAsAggregator } from '../../../shared/fleet/admin-farm.ts';
import type { FarmCtx } from '../../../shared/fleet/farm-calls.ts';
import { sessionValues } from '../../../shared/fleet/snapshot/rows.ts';
import { AppError } from '../../../shared/kernel/errors.ts';
import type { ListRow } from '../../../shared/remotes/dispatcher/list-shapes.ts';
import { endedByItself } from './maintenance-events.ts';

/** A step that was claimed, with all that it takes to do it. */
export type Work = { ctx: FarmCtx; at: AdminFarm; window: MaintenanceWindow; step: Step };

type Session = ListRow<'spsessions'>;

const pageSize = 1_000;
/** Sessions ended at the same time. */
const atOnce = 6;
/** Milliseconds after which the rest is left to the next claim, well before the lease ends. */
const patienceMs = 10_000;

/**
 * Ends the sessions concerned as the template says. The node is asked which there are: the snapshot may not have those
 * that were opened just before the start. Whoever goes on after another died finds those left over.
 */
export async function endSessions(work: Work): Promise<void> {
  const { ctx, step, window } = work;
  const endsAt = performance.now() + patienceMs;
  const verb = window.template.logoff_sessions ? 'logoff' : 'disconnect';
  const waiting = (await sessionsOf(work)).filter((session) => isConcerned(work, session, verb)).values();
  let isLate = false;
  const runLane = async (): Promise<void> => {
    for (const session of waiting) {
      await endSession(work, session, verb);
      isLate ||= performance.now() > endsAt;
      if (isLate) return;
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: atOnce }, runLane));
  const failed = lanes.find((lane) => lane.status === 'rejected');
  if (failed) throw failed.reason;
  if (isLate) await releaseStep(ctx.deps.db, step, 'more');
  else await finishStep(ctx.deps.db, step, ctx.now);
}

async function sessionsOf({ ctx, at }: Work): Promise<Session[]> {
  return callAsAggregator(ctx, at, async (call) => {
    const found: Session[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await ctx.deps.dispatchers.list(call, 'spsessions', { limit: pageSize, cursor });
      found.push(...(page?.rows ?? []));
      if (!page?.next) return found;
      cursor = page.next;
    }
  });
}

function isConcerned({ window }: Work, session: Session, verb: 'disconnect' | 'logoff'): boolean {
  const { workplace_uuid, pool_uuid } = window;
  if (workplace_uuid !== null && session.workplace_uuid !== workplace_uuid) return false;
  if (pool_uuid !== null && session.servicepool_uuid !== pool_uuid) return false;
  return verb === 'logoff' || session.state === 'active';
}

/** One that ended by itself, or is being ended, is none of ours any more. */
async function endSession(work: Work, session: Session, verb: 'disconnect' | 'logoff'): Promise<void> {
  const { ctx, at, window } = work;
  const { session_uuid: uuid } = session;
  const { db, dispatchers } = ctx.deps;
  try {
    const row = await callAsAggregator(ctx, at, (call) => dispatchers.endSession(call, uuid, verb));
    await atomically(db, (h) => [
      ...written(h, at.farm.id, row, verb),
      appendAudit(h, endedByItself(window, at.farm.id, session, verb, ctx.now)),
    ]);
  } catch (error) {
    if (!(error instanceof AppError && ['not_found', 'invalid_state'].includes(error.code))) throw error;
  }
}

const written = (h: Db, farmId: string, row: Session, verb: 'disconnect' | 'logoff'): Statement[] =>
  verb === 'logoff'
    ? removeSession(h, farmId, row.session_uuid)
    : [touchSession(h, farmId, row.session_uuid, sessionValues(row))];
