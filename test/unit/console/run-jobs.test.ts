import { expect, it } from 'vitest';
import {
  type Job,
  type Outcomes,
  runJobs,
  sameFor,
} from '../../../functions/console/app/fleet/actions/run-jobs.ts';
import { PortalError } from '../../../shared/client/refusals.ts';

const keysOf = (count: number) => Array.from({ length: count }, (_, n) => `workplace ${n + 1}`);

function refusal(code: string, retryAfterS?: number): PortalError {
  return new PortalError(code, { code, status: 429, retryable: true, retryAfterS });
}

async function run(jobs: readonly Job[], signal = new AbortController().signal) {
  const all = new Map<string, string>();
  const note = (outcomes: Outcomes) => {
    for (const [key, { problem }] of outcomes) all.set(key, problem?.code ?? 'done');
  };
  await runJobs(jobs, note, signal);
  return all;
}

it('sends at most four requests at a time', async () => {
  const flight = { now: 0, most: 0 };
  const jobs = keysOf(20).map(
    (key): Job => ({
      keys: [key],
      send: async () => {
        flight.now += 1;
        flight.most = Math.max(flight.most, flight.now);
        await new Promise((resolve) => setImmediate(resolve));
        flight.now -= 1;
        return sameFor([key], {});
      },
    }),
  );
  const outcomes = await run(jobs);
  expect([outcomes.size, flight.most]).toEqual([20, 4]);
});

it('goes on after failures, and names each of them', async () => {
  const jobs = keysOf(6).map(
    (key, at): Job => ({
      keys: [key],
      send: async () => {
        if (at % 2 === 0) throw refusal('upstream_failed');
        return sameFor([key], {});
      },
    }),
  );
  expect([...(await run(jobs)).values()].toSorted()).toEqual([
    ...['done', 'done', 'done'],
    ...['upstream_failed', 'upstream_failed', 'upstream_failed'],
  ]);
});

it('waits while the portal is busy, and repeats only those requests', async () => {
  const sent: string[] = [];
  const jobs = keysOf(2).map(
    (key, at): Job => ({
      keys: [key],
      send: async () => {
        const isFirst = !sent.includes(key);
        sent.push(key);
        if (at === 1 && isFirst) throw refusal('rate_limited', 0);
        return sameFor([key], {});
      },
    }),
  );
  expect([...(await run(jobs)).values()]).toEqual(['done', 'done']);
  expect(sent.toSorted()).toEqual(['workplace 1', 'workplace 2', 'workplace 2']);
});

it('sends nothing after it was stopped, and awaits what was sent', async () => {
  const control = new AbortController();
  const jobs = keysOf(9).map(
    (key): Job => ({
      keys: [key],
      send: async () => {
        control.abort();
        await new Promise((resolve) => setImmediate(resolve));
        return sameFor([key], {});
      },
    }),
  );
  const outcomes = await run(jobs, control.signal);
  // The first request stops the others before they are sent.
  expect([...outcomes.keys()]).toEqual(['workplace 1']);
});

it('does not wait for a busy portal after it was stopped', async () => {
  const control = new AbortController();
  const job: Job = {
    keys: ['workplace 1'],
    send: async () => {
      setImmediate(() => control.abort());
      throw refusal('rate_limited', 60);
    },
  };
  expect((await run([job], control.signal)).size).toBe(0);
});
