import { expect, test } from 'vitest';
import { cachedReader } from '../../../functions/health/cached-reader.ts';
import { runEvery } from '../../../functions/health/jobs/process/loop.ts';
import { createLog } from '../../../shared/runtime/log.ts';

function loop(rounds: number, round: (n: number) => Promise<void>) {
  const stopping = new AbortController();
  const lines: string[] = [];
  const pauses: number[] = [];
  let n = 0;
  const job = { name: 'tested', intervalMs: () => 15_000, round: () => round(n++) };
  const pause = async (remainingMs: () => number) => {
    pauses.push(remainingMs());
    if (pauses.length === rounds) stopping.abort();
  };
  const log = createLog({ write: (line) => lines.push(line) });
  return runEvery(job, log, stopping.signal, pause).then(() => ({ rounds: n, pauses, lines }));
}

test('the health loop logs a failed run and continues', async () => {
  const { rounds, lines } = await loop(3, async (n) => {
    if (n === 1) throw new Error('the database is away');
  });
  expect(rounds).toBe(3);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('"job":"tested"');
});

test('the next run starts an interval after the start of the last one, not after its end', async () => {
  const { pauses } = await loop(2, async () => undefined);
  for (const ms of pauses) expect(ms).toBeGreaterThan(14_000);
  for (const ms of pauses) expect(ms).toBeLessThanOrEqual(15_000);
});

test('a shorter interval ends the current pause', async () => {
  const stopping = new AbortController();
  const rounds: number[] = [];
  let intervalMs = 3_600_000;
  const round = async () => {
    rounds.push(performance.now());
    if (rounds.length === 2) stopping.abort();
    intervalMs = rounds.length === 1 ? intervalMs : 0;
  };
  const job = { name: 'tested', intervalMs: () => intervalMs, round };
  const running = runEvery(job, createLog({ write: () => undefined }), stopping.signal);
  await expect.poll(() => rounds.length).toBe(1);
  intervalMs = 10;
  await running;
  expect(rounds).toHaveLength(2);
});

test('a stop ends the pause at once', async () => {
  const stopping = new AbortController();
  const done = Promise.withResolvers<void>();
  const job = { name: 'tested', intervalMs: () => 3_600_000, round: async () => done.resolve() };
  const running = runEvery(job, createLog({ write: () => undefined }), stopping.signal);
  await done.promise;
  stopping.abort();
  await running;
});

test('concurrent readers share one read, and a reader with a timeout gets the previous value', async () => {
  const flights: PromiseWithResolvers<string>[] = [];
  const read = cachedReader(
    () => {
      const flight = Promise.withResolvers<string>();
      flights.push(flight);
      return flight.promise;
    },
    20,
    () => undefined,
  );
  const first = [read(), read()];
  expect(flights).toHaveLength(1);
  flights[0]?.resolve('one');
  for (const { value, isFresh } of await Promise.all(first))
    expect({ value, isFresh }).toEqual({ value: 'one', isFresh: true });
  const late = await read();
  expect({ ...late, ageS: 0, waitedS: 0 }).toEqual({ value: 'one', isFresh: false, ageS: 0, waitedS: 0 });
  expect(late.waitedS).toBeGreaterThan(0.015);
  flights[1]?.resolve('two');
  await flights[1]?.promise;
  expect((await read()).value).toBe('two');
});

test('a failed read is reported once, and the next one starts again', async () => {
  const failures: unknown[] = [];
  let isDown = true;
  const read = cachedReader(
    async () => {
      if (isDown) throw new Error('down');
      return 'up';
    },
    1_000,
    (error) => failures.push(error),
  );
  expect((await read()).isFresh).toBe(false);
  isDown = false;
  expect(await read()).toMatchObject({ value: 'up', isFresh: true });
  expect(failures).toHaveLength(1);
});
