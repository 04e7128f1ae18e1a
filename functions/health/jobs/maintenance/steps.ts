import { releaseStep, type Step } from '../../../../db/repositories/maintenance/steps.ts';
import type { MaintenanceWindow } from '../../../../db/repositories/maintenance/windows.ts';
import { isGone } from '../../../../shared/sites/calls/actions.ts';
import { isNotSupported } from '../../../../shared/sites/calls/capable.ts';
import { type JobParts, jobContext } from '../context.ts';
import type { ClaimedStep } from './claimed-step.ts';
import { auditEntryFactory, type MaintenanceDeps, principal } from './events.ts';
import { setFlag, settle } from './flags.ts';
import { endSessions } from './sessions.ts';
import { warn } from './warnings.ts';

/** Values that all steps of a round share. */
export type StepParts = Omit<JobParts<MaintenanceDeps>, 'principal'>;

/**
 * Runs one step and records the result. A failed call is retried. If the object no longer exists, or the dispatchers of
 * the farm cannot do it, the step is complete.
 */
export async function runStep(parts: StepParts, window: MaintenanceWindow, step: Step): Promise<void> {
  const { db, log } = parts.deps;
  const begun: Promise<void>[] = [];
  const ctx = jobContext({ ...parts, principal }, (work) => void begun.push(work));
  const work = { ctx, createEntry: auditEntryFactory(window, parts.now, step.failures > 0), window, step };
  try {
    await doers[step.phase](work).catch(async (error: unknown) => {
      if (!isGone(error) && !isNotSupported(error)) throw error;
      if (isNotSupported(error))
        log.info('a maintenance step is not supported by the dispatchers of the farm', { ...step });
      await settle(work);
    });
  } catch (error) {
    log.warn('a maintenance step failed and will be retried', { ...step, error });
    await releaseStep(db, step, 'failed');
  }
  await Promise.all(begun);
}

const doers: Record<Step['phase'], (work: ClaimedStep) => Promise<void>> = {
  warn,
  flag: (work) => setFlag(work, true),
  clear: (work) => setFlag(work, false),
  sessions: endSessions,
};
