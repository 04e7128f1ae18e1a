import { factsOf } from '../client/facts.ts';

const { language } = factsOf();

const moment = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });
const date = new Intl.DateTimeFormat(language, { dateStyle: 'medium' });
const dayTime = new Intl.DateTimeFormat(language, {
  day: 'numeric',
  month: 'short',
  hour: 'numeric',
  minute: '2-digit',
});
const clock = new Intl.DateTimeFormat(language, { timeStyle: 'short' });
const preciseClock = new Intl.DateTimeFormat(language, { timeStyle: 'medium' });
const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
const durations: Record<'second' | 'minute' | 'hour' | 'day', Intl.NumberFormat> = {
  second: unitFormat('second'),
  minute: unitFormat('minute'),
  hour: unitFormat('hour'),
  day: unitFormat('day'),
};

function unitFormat(unit: string): Intl.NumberFormat {
  return new Intl.NumberFormat(language, {
    style: 'unit',
    unit,
    unitDisplay: 'long',
    maximumFractionDigits: 0,
  });
}

type Unit = keyof typeof durations;

/** Seconds of each unit, the greatest first. */
const units: readonly (readonly [Unit, number])[] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

function inUnits(ms: number): readonly [Unit, number] {
  const seconds = Math.round(Math.abs(ms) / 1_000);
  // Two hours are "2 hours" also a minute earlier, and 90 minutes "90 minutes".
  const [unit, size] = units.find(([, size]) => seconds >= 1.95 * size) ?? (['second', 1] as const);
  return [unit, Math.max(1, Math.round(seconds / size))];
}

/** A duration such as `4 minutes`. */
export function durationText(ms: number): string {
  const [unit, count] = inUnits(ms);
  return durations[unit].format(count);
}

/** A time in relation to now, such as `4 minutes ago`. */
export function agoText(time: string, now = Date.now()): string {
  const [unit, count] = inUnits(now - Date.parse(time));
  return relative.format(-count, unit);
}

/** The time until a later moment, such as `in 2 hours`. */
export function untilText(time: string, now: number): string {
  const [unit, count] = inUnits(Date.parse(time) - now);
  return relative.format(count, unit);
}

/** The time of day, with the day unless it is that of `now`: `18:00` or `24 Nov, 02:00`. */
export function dayTimeText(time: string, now: number): string {
  const moment = new Date(time);
  const isToday = moment.toDateString() === new Date(now).toDateString();
  return isToday ? clockText(moment) : dayTime.format(moment);
}

/** A day, such as `23 Nov 2026`. */
export const dateText = (time: string): string => date.format(new Date(time));

/** Date and time, such as `23 Nov 2026, 17:40`. */
export const momentText = (time: string): string => moment.format(new Date(time));

/** The time from one moment to another, such as `23 Nov 2026, 17:40 – 17:55`. */
export const periodText = (start: string, end: string): string =>
  moment.formatRange(new Date(start), new Date(end));

/** The time of day with seconds. */
export const preciseClockText = (time: Date): string => preciseClock.format(time);

/** The time of day. */
export const clockText = (time: Date): string => clock.format(time);
