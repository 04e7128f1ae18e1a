import { PortalError } from '../../../../../shared/client/refusals.ts';
import { type Problem, problemOf } from '../../../../../shared/web/problems/problem.ts';

/** What a request did to one record. */
export type Outcome = {
  /** Why it failed. */
  problem?: Problem;
  /** What the dispatcher reported beside the success. */
  note?: string;
};
export type Outcomes = ReadonlyMap<string, Outcome>;

/** One request, for one record or several. */
export type Job = {
  /** Of the records. */
  keys: readonly string[];
  send: () => Promise<Outcomes>;
};

const atOnce = 4;
const longestWaitS = 60;

/**
 * Sends requests, at most four at a time. One that fails does not affect the others.
 * @param onOutcomes is called as soon as a request has ended
 * @param signal starts no further requests; those that were sent are awaited, because their effect would be unknown
 */
export async function runJobs(
  jobs: readonly Job[],
  onOutcomes: (outcomes: Outcomes) => void,
  signal: AbortSignal,
): Promise<void> {
  const rest = [...jobs];
  const work = async () => {
    for (let job = rest.shift(); job && !signal.aborted; job = rest.shift()) {
      const outcomes = await outcomesOf(job, signal);
      if (outcomes) onOutcomes(outcomes);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

/** @returns undefined if the job was stopped before it was accepted */
async function outcomesOf({ keys, send }: Job, signal: AbortSignal): Promise<Outcomes | undefined> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      const waitS = waitBefore(error);
      if (waitS === undefined) return sameFor(keys, { problem: problemOf(error) });
      await waited(waitS, signal);
      if (signal.aborted) return undefined;
    }
  }
}

export const sameFor = (keys: readonly string[], outcome: Outcome): Outcomes =>
  new Map(keys.map((key) => [key, outcome]));

/** A portal that is busy has not begun the request. */
function waitBefore(error: unknown): number | undefined {
  if (!(error instanceof PortalError)) return undefined;
  const { code, retryAfterS } = error;
  const isBusy = code === 'rate_limited' || code === 'overloaded';
  return isBusy && retryAfterS !== undefined && retryAfterS <= longestWaitS ? retryAfterS : undefined;
}

const waited = (seconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, seconds * 1_000);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
