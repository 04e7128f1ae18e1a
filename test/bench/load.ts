import { randomBytes } from 'node:crypto';
import autocannon, { type Client } from 'autocannon/autocannon.js';
import { quantile } from '../structure/sizes.ts';
import { cpuMs } from './product/cpu.ts';

export type Target = {
  url: string;
  headers: Record<string, string>;
  /** Default: GET without a body. */
  body?: string;
  /** The process whose CPU time is counted, on all its threads. */
  pid?: number;
  /** Each connection is a client of its own on a local Worker, whose flood gate counts the requests of a client. */
  isWorker?: boolean;
};
/** `cpu_ms` is the CPU time of the process for one request. Null without a process, or outside of Linux. */
export type Sample = { requests_per_s: number; p50_ms: number; p99_ms: number; cpu_ms: number | null };
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

/** Loads portal and floor in turns. @throws Error for a response other than 2xx */
export async function compare(
  name: string,
  targets: { portal: Target; floor: Target },
  loading: Loading,
): Promise<Comparison> {
  const { portal, floor } = await loadInTurns(targets, loading);
  const ratio = {
    requests: ratioOf(portal, floor, 'requests_per_s'),
    p50: ratioOf(portal, floor, 'p50_ms'),
    p99: ratioOf(portal, floor, 'p99_ms'),
  };
  return { name, portal: typical(portal), floor: typical(floor), ratio };
}

/**
 * Loads several targets in turns, so that drift (the machine, the size of tables) affects all equally.
 * @returns the samples of each, one for each round
 */
export async function loadInTurns<Targets extends Record<string, Target>>(
  targets: Targets,
  { connections, warmUpS, roundS, rounds, perSecond }: Loading,
): Promise<{ [Name in keyof Targets]: Sample[] }> {
  const loaded = Object.entries(targets).map(([name, target]) => ({ name, target, samples: [] as Sample[] }));
  for (const { target } of loaded) await load(target, connections, warmUpS, perSecond);
  for (let round = 0; round < rounds; round++)
    for (const { target, samples } of loaded)
      samples.push(await load(target, connections, roundS, perSecond));
  const all = Object.fromEntries(loaded.map(({ name, samples }) => [name, samples]));
  return all as { [Name in keyof Targets]: Sample[] };
}

/** The median of the ratios of simultaneous rounds. */
export const ratioOf = (
  portal: readonly Sample[],
  floor: readonly Sample[],
  figure: 'requests_per_s' | 'p50_ms' | 'p99_ms',
): number =>
  rounded(median(portal.map((sample, at) => sample[figure] / (floor[at]?.[figure] ?? Number.NaN))), 3);

/** The portal alone, where there is no floor. */
export async function measureAlone(target: Target, loading: Loading): Promise<Sample> {
  return typical((await loadInTurns({ target }, loading)).target);
}

/** Seconds without a response that count as a failure. */
const longestS = 8;

const randomAddress = (): string => `198.${[18, ...randomBytes(2)].join('.')}`;

async function load(
  target: Target,
  connections: number,
  duration: number,
  perSecond?: number,
): Promise<Sample> {
  const { url, headers, body, pid, isWorker } = target;
  const times: number[] = [];
  const cpuBefore = await cpuMs(pid);
  const started = performance.now();
  // It ends at the first sample after `duration`.
  const post = body === undefined ? {} : { method: 'POST' as const, body };
  const rate = perSecond === undefined ? {} : { overallRate: perSecond };
  const clients = isWorker
    ? {
        setupClient: (client: Client) =>
          client.setHeaders({ ...headers, 'cf-connecting-ip': randomAddress() }),
      }
    : {};
  const run = autocannon({
    url,
    headers,
    ...post,
    ...rate,
    ...clients,
    connections,
    duration,
    sampleInt: 100,
  });
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
    cpu_ms: cpuBefore === null ? null : (((await cpuMs(pid)) ?? cpuBefore) - cpuBefore) / times.length,
  };
}

export const typical = (samples: readonly Sample[]): Sample => ({
  requests_per_s: figure(median(samples.map((sample) => sample.requests_per_s))),
  p50_ms: rounded(median(samples.map((sample) => sample.p50_ms)), 2),
  p99_ms: rounded(median(samples.map((sample) => sample.p99_ms)), 2),
  cpu_ms: cpuOf(samples),
});

function cpuOf(samples: readonly Sample[]): number | null {
  const known = samples.flatMap(({ cpu_ms }) => (cpu_ms === null ? [] : [cpu_ms]));
  return known.length === 0 ? null : rounded(median(known), 2);
}

/** Small rates are printed exactly. */
const figure = (perS: number): number => rounded(perS, perS < 100 ? 2 : 0);

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));
