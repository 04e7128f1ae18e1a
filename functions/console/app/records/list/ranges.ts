import { momentText, periodText } from '../../../../../shared/web/text/moments.ts';
import type { ConsoleText } from '../../texts.ts';
import { say } from '../../texts.ts';
import { numberText } from '../fields/value.tsx';
import type { Field } from '../kinds.ts';
import type { ListQuery } from '../requests.ts';

/** The bounds of a range as the address has them. */
export type Bounds = { from?: string | undefined; to?: string | undefined };

type Values = Readonly<Record<string, string | undefined>>;

/** Names of the members of the address that a filter has. */
export const parametersOf = ({ name, range }: Field): string[] =>
  range ? [range.from, range.to].filter((one) => one !== undefined) : [name];

export const boundsOf = ({ range }: Field, values: Values): Bounds => ({
  from: range?.from && values[range.from],
  to: range?.to && values[range.to],
});

/** The members of the address for the bounds of a range. */
export const changesOf = ({ range }: Field, { from, to }: Bounds): Record<string, string | undefined> => ({
  ...(range?.from !== undefined && { [range.from]: from }),
  ...(range?.to !== undefined && { [range.to]: to }),
});

/** Milliseconds of the units of durations. */
const units: Readonly<Record<string, number>> = { D: 86_400_000, H: 3_600_000 };

/** A time in relation to now, as an ISO 8601 duration of days or hours, or the start of the day. */
const relative = /^(?:(-?)P(?:T(?=\d+H$))?(\d{1,4})([DH])|today)$/;

export const isRelative = (text: string | undefined): boolean => relative.test(text ?? '');

/** The time that a bound of the address stands for. Any other text stays as it is. */
export function resolved(text: string, now: number): string {
  const [match, sign, count, unit = ''] = relative.exec(text) ?? [];
  if (match === undefined) return text;
  if (match === 'today') return new Date(new Date(now).setHours(0, 0, 0, 0)).toISOString();
  const distance = Number(count) * (units[unit] ?? 0);
  return new Date(sign === '-' ? now - distance : now + distance).toISOString();
}

/** The members of a request, with times instead of distances from `now`. */
export function resolvedQuery(filters: readonly Field[], query: ListQuery, now: number): ListQuery {
  const names = filters.flatMap((field) => (field.range && field.type === 'time' ? parametersOf(field) : []));
  const entries = names.flatMap((name) => (query[name] ? [[name, resolved(query[name], now)]] : []));
  return { ...query, ...Object.fromEntries(entries) };
}

/** A range that is often used. */
export type Choice = Bounds & { label: ConsoleText };

const past: readonly Choice[] = [
  { from: '-PT1H', label: 'range_hour' },
  { from: 'today', label: 'range_today' },
  { from: '-PT24H', label: 'range_day' },
  { from: '-P7D', label: 'range_week' },
  { from: '-P30D', label: 'range_month' },
  { to: '-P30D', label: 'range_older_month' },
  { to: '-P90D', label: 'range_older_quarter' },
];

const future: readonly Choice[] = [
  { to: 'PT0H', label: 'range_passed' },
  { from: 'PT0H', to: 'PT24H', label: 'range_next_day' },
  { from: 'PT0H', to: 'P7D', label: 'range_next_week' },
  { from: 'PT0H', to: 'P30D', label: 'range_next_month' },
  { from: 'P30D', label: 'range_later' },
];

/** Names of members with times that are usually still to come. */
const isAhead = ({ name }: Field): boolean => /^(?:expires|end|retry|due)_at$|_until$|_retry_at$/.test(name);

/** The choices of a filter by time, without those whose bounds it does not have. */
export const choicesOf = (field: Field): readonly Choice[] =>
  (isAhead(field) ? future : past).filter(
    ({ from, to }) =>
      (from === undefined || field.range?.from !== undefined) &&
      (to === undefined || field.range?.to !== undefined),
  );

export const choiceOf = (field: Field, { from, to }: Bounds): Choice | undefined =>
  choicesOf(field).find((choice) => choice.from === from && choice.to === to);

/** A range in words. */
export function rangeText(field: Field, bounds: Bounds, now = Date.now()): string {
  const choice = field.type === 'time' && choiceOf(field, bounds);
  if (choice) return say(choice.label);
  const texts = { from: boundText(field, bounds.from, now), to: boundText(field, bounds.to, now) };
  const isTime = field.type === 'time';
  if (bounds.from && bounds.to)
    return isReversed(field, bounds, now) || !isTime ? both(texts) : period(bounds, now);
  if (bounds.from) return say(isTime ? 'range_since' : 'range_at_least', { value: texts.from });
  return say(isTime ? 'range_before' : 'range_at_most', { value: texts.to });
}

const both = ({ from, to }: { from: string; to: string }): string => say('range_between', { from, to });

const period = ({ from = '', to = '' }: Bounds, now: number): string => {
  const [start, end] = [resolved(from, now), resolved(to, now)];
  return isTime(start) && isTime(end) ? periodText(start, end) : both({ from: start, to: end });
};

const isTime = (text: string): boolean => !Number.isNaN(Date.parse(text));

function boundText(field: Field, text = '', now: number): string {
  if (field.type !== 'time')
    return text === '' || Number.isNaN(Number(text)) ? text : numberText(field, Number(text));
  const time = resolved(text, now);
  return isTime(time) ? momentText(time) : text;
}

/** The range ends before it begins. */
export function isReversed({ type }: Field, { from, to }: Bounds, now = Date.now()): boolean {
  if (!from || !to) return false;
  const amount = (text: string) => (type === 'time' ? Date.parse(resolved(text, now)) : Number(text));
  return amount(from) > amount(to);
}

/** A bound that the API accepts; the empty one is no bound. */
export const isBound = ({ type }: Field, text = ''): boolean =>
  text === '' || (type === 'time' ? isTime(text) || isRelative(text) : /^-?\d{1,12}$/.test(text));
