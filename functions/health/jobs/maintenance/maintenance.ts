import { atomically, type Db, type Statement } from '../../../../db/client.ts';
import { appendAudit } from '../../../../db/repositories/audit/events.ts';
import { maintenanceRecord } from '../../../../db/repositories/maintenance/records.ts';
import { claimSteps } from '../../../../db/repositories/maintenance/steps.ts';
import {
  clearFlag,
  dropWindow,
  ifStillOpen,
  isNotBegun,
  isPresent,
  isWanted,
  listWindows,
  type MaintenanceWindow,
  mustStill,
  noteBegin,
  openFlagged,
} from '../../../../db/repositories/maintenance/windows.ts';
import { appendMonitoring } from '../../../../db/repositories/monitoring/records.ts';
import { touchPool } from '../../../../db/repositories/snapshot/touch.ts';
import { createSemaphore } from '../../../../shared/kernel/concurrency/semaphore.ts';
import { duePhases, hasStarted, isOfNode, isOver } from '../../../../shared/maintenance/maintenance.ts';
import { noMaintenance } from '../../../../shared/maintenance/orders.ts';
import type { CachedParameters } from '../parameters.ts';
import type { Job } from '../process/loop.ts';
import { clearedByItself, type MaintenanceDeps } from './events.ts';
import { runStep } from './steps.ts';

/** Steps that are claimed together, so that none waits for long with its lease running. */
const atOnce = 6;

/**
 * Leads maintenance through its template: users are warned, new sessions blocked, present ones ended, and at its end all
 * is as before. Whatever happens is claimed in the database first, so that of several sidecars one does it, and another
 * goes on where one died.
 */
export const maintenanceJob = (deps: MaintenanceDeps, known: CachedParameters): Job => ({
  name: 'maintenance',
  intervalMs: () => 2_000,
  round: async (signal) => {
    await openFlagged(deps.db);
    for (const window of await listWindows(deps.db)) await moveOn(deps, window);
    await runSteps(deps, known, await listWindows(deps.db), signal);
  },
});

/** What happens to a window here and needs no dispatcher. */
async function moveOn(deps: MaintenanceDeps, window: MaintenanceWindow): Promise<void> {
  const now = deps.clock();
  if (!window.wanted) return close(deps, window, now);
  if (window.begun_at !== null) {
    if (isOver(window.plan, now) && !isOfNode(window)) await closeFlagged(deps, window, now);
    return;
  }
  // Nothing of it could be done in time: there is nothing to take back.
  if (isOver(window.plan, now))
    return isOfNode(window) ? close(deps, window, now) : closeFlagged(deps, window, now);
  if (!hasStarted(window.plan, now)) return;
  await once(deps.db, (h) => [
    mustStill(h, window.id, isNotBegun),
    noteBegin(h, window.id, now),
    appendMonitoring(h, maintenanceRecord(window, 'began', window.template_id, now)),
  ]);
}

/** Ends a window that somebody took back, or that passed unseen. */
async function close(deps: MaintenanceDeps, window: MaintenanceWindow, now: Date): Promise<void> {
  await once(deps.db, (h) => [
    ...forgetPool(h, window),
    mustStill(h, window.id, isPresent),
    ...ending(h, window, now),
  ]);
}

/** Ends the maintenance of a farm or site as an administrator would: a write of its record. */
async function closeFlagged(deps: MaintenanceDeps, window: MaintenanceWindow, now: Date): Promise<void> {
  await once(deps.db, (h) => [
    mustStill(h, window.id, isWanted),
    clearFlag(h, window),
    appendAudit(h, clearedByItself(window, now)),
    ...ending(h, window, now),
  ]);
}

/** Of several sidecars one does it. */
const once = (db: Db, build: (h: Db) => Statement[]): Promise<boolean> => ifStillOpen(atomically(db, build));

const ending = (h: Db, window: MaintenanceWindow, now: Date): Statement[] => [
  ...(window.begun_at === null
    ? []
    : [appendMonitoring(h, maintenanceRecord(window, 'ended', window.template_id, now))]),
  dropWindow(h, window.about),
];

/** What the snapshot says of a window that never came into force. */
const forgetPool = (h: Db, { object_type, farm_id, pool_uuid }: MaintenanceWindow): Statement[] =>
  object_type === 'servicespool' && farm_id !== null && pool_uuid !== null
    ? [touchPool(h, farm_id, pool_uuid, noMaintenance)]
    : [];

/** Until nothing is left that is due and nobody else's. */
async function runSteps(
  deps: MaintenanceDeps,
  known: CachedParameters,
  windows: readonly MaintenanceWindow[],
  signal: AbortSignal,
): Promise<void> {
  const now = deps.clock();
  const byId = new Map(windows.map((window) => [window.id, window]));
  const due = windows.flatMap((window) => {
    const phases = duePhases(window, now);
    const after_flag = phases.includes('flag');
    return phases.map((phase) => ({
      window_id: window.id,
      phase,
      after_flag: after_flag && phase === 'sessions',
    }));
  });
  const upstream = createSemaphore(atOnce);
  while (!signal.aborted) {
    const steps = await claimSteps(deps.db, due, atOnce);
    if (steps.length === 0) return;
    await Promise.all(
      steps.map(async (step) => {
        const window = byId.get(step.window_id);
        if (window) await runStep({ deps, parameters: known.current(), upstream, now }, window, step);
      }),
    );
  }
}
