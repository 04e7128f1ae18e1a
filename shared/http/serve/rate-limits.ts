import type { BaseDeps } from '../../context/context.ts';
import { createTokenBuckets } from '../../kernel/concurrency/token-buckets.ts';
import { AppError } from '../../kernel/errors.ts';
import { networkOf } from '../../kernel/networks.ts';
import { type Parameters, parametersFrom } from '../../kernel/system-parameters.ts';

/** How many requests each session, and each network without a valid one, has left; only numbers are shared. */
export type RateLimits = {
  /** True for the hash of a token that proved valid here before; such a token has a quota of its own. */
  knows(tokenHash: string): boolean;
  /** @throws AppError `rate_limited` */
  takeFromSession(tokenHash: string, now: Date): void;
  /** @throws AppError `rate_limited` */
  takeFromAddress(ip: string, now: Date): void;
  /** Begins the quota of a session, whose parameters are those in force. */
  proveValid(tokenHash: string, parameters: Parameters, now: Date): void;
  /** Undoes `takeFromAddress` for a request whose token proved valid. */
  giveBackToAddress(ip: string): void;
  /** A token that was valid is not any more. */
  forget(tokenHash: string): void;
  learn(parameters: Parameters, now: Date): void;
  /** The system parameters as they were last read here. */
  parameters(): Parameters;
  /**
   * Has the parameters read when they are older than 4 s: what an administrator sets is in force within 5 s, also
   * where no session brings it along.
   */
  refresh(now: Date, read: () => Promise<Record<string, unknown> | null>): Promise<void> | undefined;
};

/** A flood from many addresses must not push out sessions, so each kind has its own room. */
const mostOfEach = 5_000;
const freshMs = 4_000;
/** A reading whose end nobody hears of, because its request was ended, is given up after this. */
const patienceMs = 15_000;

const limitsOf = new WeakMap<BaseDeps, RateLimits>();

/** The counts of one process or isolate: they live as long as its dependencies, and are written nowhere. */
export function rateLimitsOf(deps: BaseDeps): RateLimits {
  const limits = limitsOf.get(deps) ?? createRateLimits();
  limitsOf.set(deps, limits);
  return limits;
}

function createRateLimits(): RateLimits {
  const sessions = createTokenBuckets(mostOfEach);
  const addresses = createTokenBuckets(mostOfEach);
  const known = { parameters: parametersFrom(null), staleAtMs: 0 };
  const learn = (parameters: Parameters, now: Date): void =>
    void Object.assign(known, { parameters, staleAtMs: now.getTime() + freshMs });
  return {
    knows: sessions.has,
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
      // Said before it is done, so that one request of many reads.
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
