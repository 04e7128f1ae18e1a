import { setTimeout as delay } from 'node:timers/promises';

/** The minutes of each hour in which a sidecar orders its hourly jobs. */
const hourlyAt = [23, 41];
const minuteMs = 60_000;
/** An order is noticed within ten seconds, and its job takes a moment. */
const marginMs = 15_000;

/** Waits until no hourly job is due for a minute. */
export async function quietMinute(now = Date.now()): Promise<void> {
  const inHourMs = now % (60 * minuteMs);
  const next = hourlyAt.find(
    (minute) => inHourMs > minute * minuteMs - minuteMs - marginMs && inHourMs < minute * minuteMs + marginMs,
  );
  if (next !== undefined) await delay(next * minuteMs + marginMs - inHourMs);
}
