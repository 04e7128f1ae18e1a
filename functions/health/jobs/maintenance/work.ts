import type { Step } from '../../../../db/repositories/maintenance/steps.ts';
import type { MaintenanceWindow } from '../../../../db/repositories/maintenance/windows.ts';
import type { Teller } from '../../../../shared/sites/calls/actions.ts';
import type { JobCtx } from '../context.ts';
import type { MaintenanceDeps } from './events.ts';

/** A step that was claimed, with all that it takes to do it. */
export type Work = { ctx: JobCtx<MaintenanceDeps>; tell: Teller; window: MaintenanceWindow; step: Step };

/** What users are told: what came with the order, or else what the template says. */
export const messageOf = ({ message, plan }: MaintenanceWindow): string => message ?? plan.message;
