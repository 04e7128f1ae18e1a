import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { quantile } from '../../structure/sizes.ts';
import { type Comparison, compare, type Loading, rounded, type Target } from '../load.ts';
import type { Stand } from '../stand.ts';
import { measureRefusals, type Refusals } from './refusals.ts';

export type LoginFigures = {
  /** Beside the bare hash. */
  login: Comparison;
  storm: Storm;
  refusals: Refusals;
};

/** Reads at a steady rate, alone and beside twice as many logins as can be verified. */
type Storm = {
  logins_per_s: number;
  /** Number of logins by status; excess logins are refused with Retry-After. */
  statuses: Record<string, number>;
  refused_without_retry_after: number;
  slowest_login_ms: number;
  reads_per_s: number;
  reads: { idle_p99_ms: number; storm_p99_ms: number; ratio: number };
};

const readsPerS = 50;
/** A login without a response by then hangs, which ends the benchmark. */
const longestMs = 60_000;

export async function measureLogins(stand: Stand, effort: Loading): Promise<LoginFigures> {
  const login = await compare('POST …/login', stand.login, effort);
  return {
    login,
    storm: await storm(stand, 2 * login.floor.requests_per_s, effort),
    refusals: await measureRefusals(stand, Math.ceil(effort.rounds * effort.roundS)),
  };
}

type Answer = { status: number; retryAfter: boolean; ms: number };

/** Idle and storm in turns, so that drift affects both equally. */
async function storm(
  { login, userinfo }: Pick<Stand, 'login' | 'userinfo'>,
  loginsPerS: number,
  { roundS, rounds }: Loading,
): Promise<Storm> {
  const agent = new Agent({ connections: 256 });
  const idle: Answer[] = [];
  const beside: Answer[] = [];
  const logins: Answer[] = [];
  const read = () => send(userinfo, agent);
  await pace(read, readsPerS, 0.5);
  for (let round = 0; round < rounds; round++) {
    idle.push(...(await pace(read, readsPerS, roundS)));
    const flood = pace(() => send(login.portal, agent), loginsPerS, roundS);
    beside.push(...(await pace(read, readsPerS, roundS)));
    logins.push(...(await flood));
  }
  await agent.close();
  const failed = [...idle, ...beside].filter(({ status }) => status !== 200);
  if (failed.length > 0) throw new Error(`${failed.length} reads were not answered with 200`);
  const [idleP99, stormP99] = [p99(idle), p99(beside)];
  const statuses: Record<string, number> = {};
  for (const { status } of logins) statuses[status] = (statuses[status] ?? 0) + 1;
  return {
    logins_per_s: rounded(loginsPerS, 1),
    statuses,
    refused_without_retry_after: logins.filter(({ status, retryAfter }) => status !== 200 && !retryAfter)
      .length,
    slowest_login_ms: rounded(Math.max(...logins.map(({ ms }) => ms)), 0),
    reads_per_s: readsPerS,
    reads: { idle_p99_ms: idleP99, storm_p99_ms: stormP99, ratio: rounded(stormP99 / idleP99, 2) },
  };
}

const p99 = (answers: readonly Answer[]): number =>
  rounded(
    quantile(
      answers.map(({ ms }) => ms),
      0.99,
    ),
    2,
  );

/** Sends at this rate regardless of responses, like independent clients. */
async function pace(work: () => Promise<Answer>, perS: number, seconds: number): Promise<Answer[]> {
  const sent: Promise<Answer>[] = [];
  const started = performance.now();
  const total = Math.max(1, Math.round(perS * seconds));
  while (sent.length < total) {
    sent.push(work());
    const due = started + (sent.length / perS) * 1000;
    await pause(Math.max(0, due - performance.now()));
  }
  return Promise.all(sent);
}

async function send({ url, headers, body }: Target, dispatcher: Agent): Promise<Answer> {
  const started = performance.now();
  const answer = await request(url, {
    dispatcher,
    headers,
    ...(body !== undefined && { method: 'POST', body }),
    headersTimeout: longestMs,
  });
  await answer.body.dump();
  const retryAfter = answer.headers['retry-after'] !== undefined;
  return { status: answer.statusCode, retryAfter, ms: performance.now() - started };
}
