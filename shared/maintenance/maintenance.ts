import type { MaintenancePhase } from '../../db/schema/maintenance/steps.ts';
import { addSeconds } from '../kernel/clock.ts';

/**
 * The period of a maintenance. Without `start_at` it starts at once. Without `end_at` it lasts until it is switched
 * off.
 */
export type Schedule = { start_at: Date | null; end_at: Date | null; warn_minutes: number };

export const hasStarted = ({ start_at }: Pick<Schedule, 'start_at'>, now: Date): boolean =>
  start_at === null || start_at <= now;

export const isOver = ({ end_at }: Pick<Schedule, 'end_at'>, now: Date): boolean =>
  end_at !== null && end_at <= now;

const isWarned = ({ start_at, warn_minutes }: Schedule, now: Date): boolean =>
  start_at !== null && start_at > now && addSeconds(start_at, -60 * warn_minutes) <= now;

type Facts = {
  object_type: 'servicespool' | 'workplace' | 'farm' | 'site';
  begun_at: Date | null;
  plan: Schedule & {
    block_new_sessions: boolean;
    disconnect_sessions: boolean;
    logoff_sessions: boolean;
  };
};

/**
 * Dispatchers store the maintenance flag of pools and workplaces. Only the portal stores the flag of farms and sites.
 */
export const isOfNode = ({ object_type }: Pick<Facts, 'object_type'>): boolean =>
  object_type === 'servicespool' || object_type === 'workplace';

/** The phases of a window that are due now. A missed phase, such as a warning, is not repeated. */
export function duePhases({ plan, begun_at, ...window }: Facts, now: Date): MaintenancePhase[] {
  if (isOver(plan, now)) return begun_at !== null && isOfNode(window) ? ['clear'] : [];
  if (begun_at === null) return isWarned(plan, now) ? ['warn'] : [];
  const flag = isOfNode(window) && plan.block_new_sessions;
  const ends = plan.disconnect_sessions || plan.logoff_sessions;
  return [...(flag ? (['flag'] as const) : []), ...(ends ? (['sessions'] as const) : [])];
}
