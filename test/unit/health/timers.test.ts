import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { systemTiming } from '../../../functions/health/jobs/process/timing.ts';
import { createNotifier } from '../../../shared/kernel/concurrency/notifier.ts';

const dayMs = 86_400_000;

it('work that is due in 400 days does not run at once', async () => {
  let runs = 0;
  const cancel = systemTiming.after(400 * dayMs, () => runs++);
  await delay(20);
  cancel();
  expect(runs).toBe(0);
});

it('a wait of 400 days does not end at once', async () => {
  const listener = createNotifier().listen('key');
  const ending = new AbortController();
  let hasEnded = false;
  const waiting = listener.next(400 * dayMs, ending.signal).then(() => {
    hasEnded = true;
  });
  await delay(20);
  expect(hasEnded).toBe(false);
  ending.abort();
  await waiting;
});
