import { perProcess } from '../../context/process-memory.ts';
import { createTokenBuckets } from '../../kernel/concurrency/token-buckets.ts';
import { AppError } from '../../kernel/errors.ts';
import { networkOf } from '../../kernel/networks.ts';
import { type Parameters, parametersFrom } from '../../kernel/system-parameters.ts';

/** Rate limits of each session, and of each network without a valid session. Only numbers are shared. */
export type RateLimits = {
  /** True if the token with this hash was valid before. Such a token has its own limit. */
  isKnown(tokenHash: string): boolean;
  /** @throws AppError `rate_limited` */
  takeFromSession(tokenHash: string, now: Date): void;
  /** @throws AppError `rate_limited` */
  takeFromAddress(ip: string, now: Date): void;
  /** Starts the limit of a session and applies its parameters, which are current. */
  proveValid(tokenHash: string, parameters: Parameters, now: Date): void;
  /** Reverts `takeFromAddress` for a request with a valid token. */
  giveBackToAddress(ip: string): void;
  /** Removes the limit of a token that is no longer valid. */
  forget(tokenHash: string): void;
  learn(parameters: Parameters, now: Date): void;
  /** The system parameters that were read last. */
  parameters(): Parameters;
  /**
   * Reads the parameters if they are older than 4 s, so that changes take effect within 5 s even without session
   * lookups.
   */
  refresh(now: Date, read: () => Promise<Record<string, unknown> | null>): Promise<void> | undefined;
};

/** Maximum number of entries of each kind. Requests from many addresses must not evict sessions. */
const mostOfEach = 5_000;
const freshMs = 4_000;
/** Time after which a read is retried, because it never completes if its request was terminated. */
const patienceMs = 15_000;

/** Returns the rate limits of one process or isolate, which are not stored. */
export const rateLimitsOf = perProcess(createRateLimits);

function createRateLimits(): RateLimits {
  const sessions = createTokenBuckets(mostOfEach);
  const addresses = createTokenBuckets(mostOfEach);
  const known = { parameters: parametersFrom(null), staleAtMs: 0 };
  const learn = (parameters: Parameters, now: Date): void =>
    void Object.assign(known, { parameters, staleAtMs: now.getTime() + freshMs });
  return {
    isKnown: sessions.has,
    takeFromSession: (tokenHash, now) => {
      const limit = known.parameters['limits.per_token_per_minute'];
      assertTaken('session', limit, sessions.take(tokenHash, limit, now.getTime()));
    },
    takeFromAddress: (ip, now) => {
      const limit = known.parameters['limits.anonymous_per_ip_per_minute'];
      assertTaken('address', limit, addresses.take(networkOf(ip), limit, now.getTime()));
    },
    proveValid: (tokenHash, parameters, now) => {
      learn(parameters, now);
      sessions.take(tokenHash, parameters['limits.per_token_per_minute'], now.getTime());
    },
    giveBackToAddress: (ip) => addresses.giveBack(networkOf(ip)),
    forget: sessions.forget,
    learn,
    parameters: () => known.parameters,
    refresh: (now, read) => {
      if (now.getTime() < known.staleAtMs) return undefined;
      // Set before the read, so that only one of several concurrent requests reads.
      known.staleAtMs = now.getTime() + patienceMs;
      return read().then(
        (overrides) => learn(parametersFrom(overrides), now),
        (error: unknown) => {
          known.staleAtMs = now.getTime() + freshMs;
          throw error;
        },
      );
    },
  };
}

function assertTaken(policy: 'session' | 'address', limit: number, retry_after_s: number): void {
  if (retry_after_s === 0) return;
  throw new AppError('rate_limited', undefined, { policy, limit_per_minute: limit, retry_after_s });
}
