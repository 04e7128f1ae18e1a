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
  isStillOrdered,
  listWindows,
  type MaintenanceWindow,
  mustStill,
  noteBegin,
  openFlagged,
} from '../../../../db/repositories/maintenance/windows.ts';
import { appendMonitoring } from '../../../../db/repositories/monitoring/records.ts';
import { updatePoolRow } from '../../../../db/repositories/snapshot/write-through.ts';
import { createSemaphore } from '../../../../shared/kernel/concurrency/semaphore.ts';
import { duePhases, hasStarted, isOfNode, isOver } from '../../../../shared/maintenance/maintenance.ts';
import { noMaintenance } from '../../../../shared/maintenance/orders.ts';
import type { CachedParameters } from '../parameters.ts';
import type { Task } from '../process/agenda.ts';
import { clearedByItself, type MaintenanceDeps } from './events.ts';
import { runStep } from './steps.ts';

/** Steps per batch. A small batch ensures that no claimed step waits long while its lease runs. */
const atOnce = 6;
/** Time in milliseconds after which steps are looked for again: for new farms, and after a failure elsewhere. */
const repeatMs = 30_000;

/**
 * Runs maintenance windows according to their templates: warns users, blocks new sessions, ends open sessions, and
 * restores the previous state at the end. Each step is first claimed in the database. If several sidecars run, one of
 * them does the step, and another one takes it over after a crash.
 */
export function maintenanceJob(deps: MaintenanceDeps, known: CachedParameters): Task {
  let repeatAt = 0;
  return {
    name: 'maintenance',
    intervalMs: () => 2_000,
    dueIn: ({ maintenance, is_maintained }, at) =>
      is_maintained ? Math.min(maintenance ?? Number.POSITIVE_INFINITY, repeatAt - at) : maintenance,
    round: async (signal) => {
      repeatAt = performance.now();
      await openFlagged(deps.db);
      for (const window of await listWindows(deps.db)) await moveOn(deps, window);
      const hasWorked = await runSteps(deps, known, await listWindows(deps.db), signal);
      if (!hasWorked) repeatAt += repeatMs;
    },
  };
}

/** Advances a window by the changes that need no call to a dispatcher. */
async function moveOn(deps: MaintenanceDeps, window: MaintenanceWindow): Promise<void> {
  const now = deps.clock();
  if (!window.isOrdered) return close(deps, window, now);
  if (window.begun_at !== null) {
    if (isOver(window.plan, now) && !isOfNode(window)) await closeFlagged(deps, window, now);
    return;
  }
  // The window ended before any step was done, so there is nothing to undo.
  if (isOver(window.plan, now))
    return isOfNode(window) ? close(deps, window, now) : closeFlagged(deps, window, now);
  if (!hasStarted(window.plan, now)) return;
  await once(deps.db, (h) => [
    mustStill(h, window.id, isNotBegun),
    noteBegin(h, window.id, now),
    appendMonitoring(h, maintenanceRecord(window, 'began', window.template_id, now)),
  ]);
}

/** Ends a window that was cancelled, or that ended before it took effect. */
async function close(deps: MaintenanceDeps, window: MaintenanceWindow, now: Date): Promise<void> {
  await once(deps.db, (h) => [
    ...forgetPool(h, window),
    mustStill(h, window.id, isPresent),
    ...ending(h, window, now),
  ]);
}

/** Ends the maintenance of a farm or site with a write to its record, as an administrator does. */
async function closeFlagged(deps: MaintenanceDeps, window: MaintenanceWindow, now: Date): Promise<void> {
  await once(deps.db, (h) => [
    mustStill(h, window.id, isStillOrdered),
    clearFlag(h, window),
    appendAudit(h, clearedByItself(window, now)),
    ...ending(h, window, now),
  ]);
}

/** Ensures that one sidecar makes the change. @returns false if another one has already made it */
const once = (db: Db, build: (h: Db) => Statement[]): Promise<boolean> => ifStillOpen(atomically(db, build));

const ending = (h: Db, window: MaintenanceWindow, now: Date): Statement[] => [
  ...(window.begun_at === null
    ? []
    : [appendMonitoring(h, maintenanceRecord(window, 'ended', window.template_id, now))]),
  dropWindow(h, window.about),
];

/** Clears the maintenance in the snapshot for a window that never took effect. */
const forgetPool = (h: Db, { object_type, farm_id, pool_uuid }: MaintenanceWindow): Statement[] =>
  object_type === 'servicespool' && farm_id !== null && pool_uuid !== null
    ? [updatePoolRow(h, farm_id, pool_uuid, noMaintenance)]
    : [];

/**
 * Runs steps until no step is due that another sidecar has not claimed.
 * @returns whether there was one
 */
async function runSteps(
  deps: MaintenanceDeps,
  known: CachedParameters,
  windows: readonly MaintenanceWindow[],
  signal: AbortSignal,
): Promise<boolean> {
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
  let hasWorked = false;
  while (!signal.aborted) {
    const steps = await claimSteps(deps.db, due, atOnce);
    if (steps.length === 0) return hasWorked;
    hasWorked = true;
    await Promise.all(
      steps.map(async (step) => {
        const window = byId.get(step.window_id);
        if (window) await runStep({ deps, parameters: known.current(), upstream, now }, window, step);
      }),
    );
  }
  return hasWorked;
}
