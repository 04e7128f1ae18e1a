import autocannon from 'autocannon/autocannon.js';
import { quantile } from '../structure/sizes.ts';

export type Target = {
  url: string;
  headers: Record<string, string>;
  /** Default: GET without a body. */
  body?: string;
};
export type Sample = { requests_per_s: number; p50_ms: number; p99_ms: number };
export type Comparison = {
  name: string;
  portal: Sample;
  floor: Sample;
  /** Portal by floor, each the median of the rounds; more requests and less time are better. */
  ratio: { requests: number; p50: number; p99: number };
};

export type Loading = {
  connections: number;
  warmUpS: number;
  roundS: number;
  rounds: number;
  /** Requests a second to send; without a rate as many as are answered. */
  perSecond?: number;
};

export type Effort = Loading & {
  /** Of each module on the edge. */
  coldStarts: number;
  /** Of each page of a list. */
  lists: Loading;
  logins: Loading;
};

/**
 * Loads portal and floor in turns, so that drift (the machine, the size of tables) affects both equally.
 * @throws Error for a response other than 2xx
 */
export async function compare(
  name: string,
  { portal, floor }: { portal: Target; floor: Target },
  { connections, warmUpS, roundS, rounds, perSecond }: Loading,
): Promise<Comparison> {
  for (const target of [portal, floor]) await load(target, connections, warmUpS, perSecond);
  const pairs: { portal: Sample; floor: Sample }[] = [];
  while (pairs.length < rounds) {
    pairs.push({
      portal: await load(portal, connections, roundS, perSecond),
      floor: await load(floor, connections, roundS, perSecond),
    });
  }
  const ratioOf = (figure: keyof Sample): number =>
    rounded(median(pairs.map((pair) => pair.portal[figure] / pair.floor[figure])), 3);
  return {
    name,
    portal: typical(pairs.map((pair) => pair.portal)),
    floor: typical(pairs.map((pair) => pair.floor)),
    ratio: { requests: ratioOf('requests_per_s'), p50: ratioOf('p50_ms'), p99: ratioOf('p99_ms') },
  };
}

/** The portal alone, where there is no floor. */
export async function measureAlone(
  target: Target,
  { connections, warmUpS, roundS, rounds, perSecond }: Loading,
): Promise<Sample> {
  await load(target, connections, warmUpS, perSecond);
  const samples: Sample[] = [];
  while (samples.length < rounds) samples.push(await load(target, connections, roundS, perSecond));
  return typical(samples);
}

/** Seconds without a response that count as a failure. */
const longestS = 8;

async function load(
  target: Target,
  connections: number,
  duration: number,
  perSecond?: number,
): Promise<Sample> {
  const { url, headers, body } = target;
  const times: number[] = [];
  const started = performance.now();
  // It ends at the first sample after `duration`.
  const post = body === undefined ? {} : { method: 'POST' as const, body };
  const rate = perSecond === undefined ? {} : { overallRate: perSecond };
  const run = autocannon({ url, headers, ...post, ...rate, connections, duration, sampleInt: 100 });
  run.on('response', (_client, _status, _bytes, milliseconds) => void times.push(milliseconds));
  const { errors, timeouts, non2xx } = await run;
  const seconds = (performance.now() - started) / 1000;
  if (errors + timeouts + non2xx > 0 || (times.length === 0 && duration >= longestS)) {
    throw new Error(`${url}: ${non2xx} answers were not 2xx, ${errors + timeouts} never came`);
  }
  // Such a short round may end before the first response on a busy machine.
  if (times.length === 0) return load(target, connections, Math.min(longestS, 4 * duration), perSecond);
  return {
    requests_per_s: times.length / seconds,
    p50_ms: quantile(times, 0.5),
    p99_ms: quantile(times, 0.99),
  };
}

const typical = (samples: readonly Sample[]): Sample => ({
  requests_per_s: figure(median(samples.map((sample) => sample.requests_per_s))),
  p50_ms: rounded(median(samples.map((sample) => sample.p50_ms)), 2),
  p99_ms: rounded(median(samples.map((sample) => sample.p99_ms)), 2),
});

/** Small rates are printed exactly. */
const figure = (perS: number): number => rounded(perS, perS < 100 ? 2 : 0);

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));
