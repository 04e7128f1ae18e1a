import type { PortalError } from './refusals.ts';

export type RetryOptions = {
  /** How often a request is sent again at most; 3 unless given, 0 for never. */
  retries?: number;
  /** A wait that would be longer is not worth it: the refusal is thrown at once. 30 s unless given. */
  longestWaitMs?: number;
  /** Lets time pass. @throws when the signal is aborted */
  sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
};

export type Patience = Required<RetryOptions>;

/** One request that failed, and how often it has been sent so far. */
export type Attempt = { attempt: number; method: string; keyed: boolean; error: PortalError };

export const patienceFrom = ({
  retries = 3,
  longestWaitMs = 30_000,
  sleep = pass,
}: RetryOptions): Patience => ({
  retries,
  longestWaitMs,
  sleep,
});

/**
 * Milliseconds to wait before the request is sent again.
 * @returns undefined when it must not be, or not for so long
 */
export function waitBefore(failed: Attempt, { retries, longestWaitMs }: Patience): number | undefined {
  const { attempt, error } = failed;
  if (attempt > retries || !mayRepeat(failed)) return undefined;
  // Clients that failed together shall not come back together.
  const byItself = 200 * 2 ** (attempt - 1) * (1 + Math.random());
  const retryAfterMs = (error.retryAfterS ?? 0) * 1000;
  return Math.max(retryAfterMs, byItself) <= longestWaitMs ? retryAfterMs + byItself : undefined;
}

/** Refused before anything was done, whatever the request was. */
const refusedEarly: readonly string[] = ['rate_limited', 'overloaded'];
/** Sent again, these do nothing that was not done. */
const repeatable: readonly string[] = ['GET', 'HEAD'];

/** A node may have been asked: the key of the action is spent, and would only be answered `outcome_unknown`. */
const sentToNode: readonly string[] = [
  'upstream_failed',
  'upstream_refused',
  'upstream_tls',
  'upstream_timeout',
];

function mayRepeat({ error, method, keyed }: Attempt): boolean {
  if (refusedEarly.includes(error.code)) return true;
  if (keyed && error.code === 'idempotency_in_progress') return true;
  if (keyed && sentToNode.includes(error.code)) return false;
  return error.retryable && (keyed || repeatable.includes(method));
}

async function pass(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const abort = (): void => reject(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}
