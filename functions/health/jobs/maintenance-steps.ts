import type { Db, Statement } from '../../../db/client.ts';
import { appendAudit } from '../../../db/repositories/audit.ts';
import { maintenanceRecord } from '../../../db/repositories/maintenance-records.ts';
import { finishStep, releaseStep, type Step } from '../../../db/repositories/maintenance-steps.ts';
import {
  dropWindow,
  isThere,
  type MaintenanceWindow,
  onceFor,
} from '../../../db/repositories/maintenance-windows.ts';
import { appendMonitoring } from '../../../db/repositories/monitoring.ts';
import { touchPool, touchWorkplace } from '../../../db/repositories/snapshot-touch.ts';
import { callAsAggregator, loadFarm } from '../../../shared/fleet/admin-farm.ts';
import type { FarmCtx } from '../../../shared/fleet/farm-calls.ts';
import { poolValues, workplaceValues } from '../../../shared/fleet/snapshot/rows.ts';
import { AppError } from '../../../shared/kernel/errors.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import type { Parameters } from '../../../shared/kernel/system-parameters.ts';
import type { Turnstile } from '../../../shared/kernel/turnstile.ts';
import { flaggedByItself, type MaintenanceDeps } from './maintenance-events.ts';
import { endSessions, type Work } from './maintenance-sessions.ts';

export type StepParts = { deps: MaintenanceDeps; parameters: Parameters; upstream: Turnstile; now: Date };

/** Does one step, and says so. What a node cannot do now is tried again; what it does not know is done. */
export async function runStep(parts: StepParts, window: MaintenanceWindow, step: Step): Promise<void> {
  const { db, log } = parts.deps;
  const begun: Promise<unknown>[] = [];
  const ctx = farmCtx(parts, begun);
  try {
    const work = { ctx, at: await loadFarm({ ...ctx, scope: '*' }, step.farm_id), window, step };
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

/** The object, or the farm, is not there any more. */
const isGone = (error: unknown): boolean => error instanceof AppError && error.code === 'not_found';

function farmCtx({ deps, parameters, upstream, now }: StepParts, begun: Promise<unknown>[]): FarmCtx {
  const keep = (work: Promise<unknown>): void => {
    begun.push(work.catch((error: unknown) => deps.log.warn('a key or circuit was not kept', { error })));
  };
  const requestId = newId();
  return {
    deps,
    actor: { parameters },
    now,
    requestId,
    trace: { requestId, traceparent: '' },
    background: keep,
    later: (write) => keep(Promise.resolve(write())),
    upstream,
  };
}

const doers: Record<Step['phase'], (work: Work) => Promise<void>> = {
  warn,
  flag: (work) => setFlag(work, true),
  clear: (work) => setFlag(work, false),
  sessions: endSessions,
};

/** Sent to one node only: another one would tell it a second time. */
async function warn(work: Work): Promise<void> {
  const { ctx, at, window, step } = work;
  const { title } = window.template;
  const to =
    window.workplace_uuid === null ? { all: true as const } : { workplaces: [window.workplace_uuid] };
  const order = { ...(title !== '' && { title }), message: messageOf(window), level: 'warning', ...to };
  await callAsAggregator(ctx, at, (call) => ctx.deps.dispatchers.sendMessage(call, step.target, order), 1);
  await finishStep(ctx.deps.db, step, ctx.now);
}

const messageOf = ({ message, template }: MaintenanceWindow): string => message ?? template.message;

async function setFlag(work: Work, maintenance: boolean): Promise<void> {
  const { ctx, at, window } = work;
  const order = { maintenance, ...(maintenance && { message: messageOf(window) }) };
  const { dispatchers } = ctx.deps;
  const { pool_uuid: pool, workplace_uuid: workplace } = window;
  if (workplace !== null) {
    const row = await callAsAggregator(ctx, at, (call) =>
      dispatchers.setWorkplaceMaintenance(call, workplace, order),
    );
    await settle(work, (h) => [touchWorkplace(h, at.farm.id, workplace, workplaceValues(row))]);
  } else if (pool !== null) {
    const row = await callAsAggregator(ctx, at, (call) => dispatchers.setPoolMaintenance(call, pool, order));
    const since = maintenance ? { maintenance_since: ctx.now } : noMaintenance;
    await settle(work, (h) => [touchPool(h, at.farm.id, pool, { ...poolValues(row), ...since })]);
  }
}

/** The step is done; with the last one the window is over. Somebody who took it back meanwhile has the last word. */
async function settle(work: Work, written?: (h: Db) => Statement[]): Promise<void> {
  const { ctx, window, step } = work;
  const isEnd = step.phase === 'clear';
  await onceFor(ctx.deps.db, window.id, isThere, (h) => [
    ...(written ? [...written(h), appendAudit(h, flaggedByItself(window, !isEnd, ctx.now))] : []),
    ...(isEnd
      ? [
          appendMonitoring(h, maintenanceRecord(window, 'ended', window.template_id, ctx.now)),
          dropWindow(h, window.about),
        ]
      : [finishStep(h, step, ctx.now)]),
  ]);
}

const noMaintenance = {
  maintenance_template_id: null,
  maintenance_message: null,
  maintenance_since: null,
};

/** What the snapshot says of a window that never came into force. */
export const forgetPool = (h: Db, { object_type, farm_id, pool_uuid }: MaintenanceWindow): Statement[] =>
  object_type === 'servicespool' && farm_id !== null && pool_uuid !== null
    ? [touchPool(h, farm_id, pool_uuid, noMaintenance)]
    : [];
