import type { MaintenancePhase } from '../../db/schema/maintenance/steps.ts';
import { addSeconds } from '../kernel/clock.ts';

/** When a maintenance is in force; without a start at once, without an end until it is switched off. */
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

/** Dispatchers know the flag of pools and workplaces; that of farms and sites only we do. */
export const isOfNode = ({ object_type }: Pick<Facts, 'object_type'>): boolean =>
  object_type === 'servicespool' || object_type === 'workplace';

/** What a window asks of its farms now. What has passed without being done, a warning say, is not made up for. */
export function duePhases({ plan, begun_at, ...window }: Facts, now: Date): MaintenancePhase[] {
  if (isOver(plan, now)) return begun_at !== null && isOfNode(window) ? ['clear'] : [];
  if (begun_at === null) return isWarned(plan, now) ? ['warn'] : [];
  const flag = isOfNode(window) && plan.block_new_sessions;
  const ends = plan.disconnect_sessions || plan.logoff_sessions;
  return [...(flag ? (['flag'] as const) : []), ...(ends ? (['sessions'] as const) : [])];
}
