/** Milliseconds by which clocks are set back: an hour, and half an hour on Lord Howe Island. */
const steps = [-3_600_000, -1_800_000, 0, 1_800_000, 3_600_000];

/**
 * A moment as its local time, in the form of `datetime-local`.
 * @param time RFC 3339; any other text, such as a local time that is no moment, is returned as it is
 */
export function localText(time: string): string {
  const ms = Date.parse(time);
  return Number.isNaN(ms) ? time : localOf(ms);
}

/**
 * The moments with this local time, in RFC 3339 and in their order: two in the hour that is repeated when clocks are set
 * back. A local time that clocks skip, or that is no time, has none.
 */
export function momentsAt(local: string): string[] {
  const ms = Date.parse(local);
  return steps
    .map((step) => ms + step)
    .filter((one) => !Number.isNaN(one) && localOf(one) === local.slice(0, 16))
    .map((one) => new Date(one).toISOString());
}

/** `UTC+02:00` */
export function offsetText(time: string): string {
  const minutes = -new Date(time).getTimezoneOffset();
  const digits = (value: number): string => String(Math.trunc(Math.abs(value))).padStart(2, '0');
  return `UTC${minutes < 0 ? '-' : '+'}${digits(minutes / 60)}:${digits(minutes % 60)}`;
}

const localOf = (ms: number): string =>
  new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
