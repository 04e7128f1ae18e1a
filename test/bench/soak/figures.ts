import { setTimeout as delay } from 'node:timers/promises';
import autocannon from 'autocannon/autocannon.js';
import { median, rounded } from '../load.ts';
import { openHandles, residentMb } from '../product/processes.ts';
import { row } from '../rows.ts';
import { type SoakStand, startSoakStand } from './stand.ts';

export type SoakEffort = { minutes: number; everyS: number };

/** The growth from the second third of the time, after the warm-up, to the last one. */
type Growth = { warm: number; end: number };

export type SoakFigures = {
  minutes: number;
  /** The maximum rate, and half of it, which is the load. */
  capacity_per_s: number;
  per_s: number;
  requests: number;
  logins: number;
  /** Failed and missing responses. */
  errors: number;
  /** Of the portal and its sidecar together, resident. */
  memory_mb: Growth;
  /** Files and sockets that they have open. */
  handles: Growth;
};

/** The whole product at half of its maximum load: portal, sidecar, PostgreSQL and a dispatcher. */
export async function measureSoak({ minutes, everyS }: SoakEffort): Promise<SoakFigures> {
  const stand = await startSoakStand();
  try {
    const seconds = minutes * 60;
    const rush = await load(stand, Math.min(20, seconds));
    const per_s = Math.max(1, Math.floor(rush.requests / rush.seconds / 2));
    const until = performance.now() + seconds * 1_000;
    const [run, samples, logins] = await Promise.all([
      load(stand, seconds, per_s),
      sample(stand, everyS, until),
      logInAgainAndAgain(stand, until),
    ]);
    return {
      minutes,
      capacity_per_s: rounded(rush.requests / rush.seconds, 0),
      per_s: rounded(run.requests / run.seconds, 1),
      requests: run.requests,
      logins: logins.done,
      errors: rush.errors + run.errors + logins.errors,
      memory_mb: growthOf(samples.map(({ mb }) => mb)),
      handles: growthOf(samples.map(({ handles }) => handles)),
    };
  } finally {
    await stand.stop();
  }
}

export const soakLines = ({ memory_mb, handles, ...soak }: SoakFigures): string[] => [
  row('soak', 'asked', 'per s', 'errors', 'MB warm', 'MB at the end', 'handles warm', 'at the end'),
  row(
    `  ${soak.minutes} minutes`,
    String(soak.requests + soak.logins),
    `${soak.per_s} of ${soak.capacity_per_s}`,
    String(soak.errors),
    ...[memory_mb.warm, memory_mb.end, handles.warm, handles.end].map((value) => value.toFixed(0)),
  ),
  '',
];

type Run = { requests: number; seconds: number; errors: number };

async function load({ requests, url }: SoakStand, duration: number, perSecond?: number): Promise<Run> {
  const rate = perSecond === undefined ? {} : { overallRate: perSecond };
  const started = performance.now();
  const { errors, timeouts, non2xx, ...told } = await autocannon({
    url,
    requests,
    ...rate,
    connections: 8,
    duration,
    sampleInt: 100,
  });
  return {
    requests: told['2xx'],
    seconds: (performance.now() - started) / 1_000,
    errors: errors + timeouts + non2xx,
  };
}

async function sample(
  { pid }: SoakStand,
  everyS: number,
  until: number,
): Promise<{ mb: number; handles: number }[]> {
  const samples: { mb: number; handles: number }[] = [];
  while (performance.now() < until) {
    await delay(everyS * 1_000);
    samples.push({ mb: await residentMb(pid), handles: await openHandles(pid) });
  }
  return samples;
}

/** Sessions begin and end throughout, sequentially. */
async function logInAgainAndAgain(
  { logInAndOut }: SoakStand,
  until: number,
): Promise<{ done: number; errors: number }> {
  const counted = { done: 0, errors: 0 };
  while (performance.now() < until) {
    await logInAndOut().then(
      () => counted.done++,
      () => counted.errors++,
    );
    await delay(1_000);
  }
  return counted;
}

const growthOf = (values: readonly number[]): Growth => {
  const third = Math.max(1, Math.floor(values.length / 3));
  return { warm: median(values.slice(-2 * third, -third)), end: median(values.slice(-third)) };
};
