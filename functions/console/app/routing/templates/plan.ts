import { durationText, momentText, untilText } from '../../../../../shared/web/text/moments.ts';
import { say } from '../../texts.ts';

/** The members of a template, also while they are typed. */
export type Plan = Readonly<Record<string, unknown>>;

/** What happens at a time. */
export type Step = { time: string; texts: string[] };

const timeOf = (value: unknown): number | undefined => {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
};

const shown = (time: number): string => momentText(new Date(time).toISOString());

/** The course of a maintenance with this template. */
export function stepsOf(plan: Plan): Step[] {
  const [start, end] = [timeOf(plan.start_at), timeOf(plan.end_at)];
  const minutes = Number(plan.warn_minutes ?? 0);
  const sessions =
    plan.logoff_sessions === true
      ? say('template_logs_off')
      : plan.disconnect_sessions === true
        ? say('template_disconnects')
        : say('template_keeps');
  const blocks = plan.block_new_sessions !== false;
  return [
    ...(start !== undefined && minutes > 0
      ? [{ time: shown(start - minutes * 60_000), texts: [say('template_warned')] }]
      : []),
    {
      time: start === undefined ? say('template_at_once') : shown(start),
      texts: [say(blocks ? 'template_blocks' : 'template_admits'), sessions],
    },
    ...(blocks
      ? [
          {
            time: end === undefined ? say('template_until_off') : shown(end),
            texts: [say('template_ends'), ...lengthOf(start, end)],
          },
        ]
      : []),
  ];
}

const lengthOf = (start: number | undefined, end: number | undefined): string[] =>
  start !== undefined && end !== undefined && end > start
    ? [say('template_takes', { duration: durationText(end - start) })]
    : [];

/** What is wrong with the times of a template. */
export function faultOf(plan: Plan, now: number): string | undefined {
  const [start, end] = [timeOf(plan.start_at), timeOf(plan.end_at)];
  if (start !== undefined && end !== undefined && end <= start) return say('template_reversed');
  return end !== undefined && end <= now ? say('template_over') : undefined;
}

export const startsIn = (plan: Plan, now: number): string | undefined => {
  const start = timeOf(plan.start_at);
  return start !== undefined && start > now ? untilText(new Date(start).toISOString(), now) : undefined;
};
