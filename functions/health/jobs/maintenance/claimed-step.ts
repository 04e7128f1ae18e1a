import type { Step } from '../../../../db/repositories/maintenance/steps.ts';
import type { MaintenanceWindow } from '../../../../db/repositories/maintenance/windows.ts';
import type { AuditEntryFactory } from '../../../../shared/sites/calls/actions.ts';
import type { JobCtx } from '../context.ts';
import type { MaintenanceDeps } from './events.ts';

/** A claimed step with everything that is needed to run it. */
export type ClaimedStep = {
  ctx: JobCtx<MaintenanceDeps>;
  createEntry: AuditEntryFactory;
  window: MaintenanceWindow;
  step: Step;
};

/** The message for users: the message of the order, otherwise that of the template. */
export const messageOf = ({ message, plan }: MaintenanceWindow): string => message ?? plan.message;
