import { ownerOf } from '../../shared/context/principal.ts';
import { createTokenBuckets, type TokenBuckets } from '../../shared/kernel/concurrency/token-buckets.ts';
import { AppError } from '../../shared/kernel/errors.ts';
import type { WebuiCtx, WebuiDeps } from './deps.ts';

const perMinute = 30;
const mostUsers = 1_000;

type TestPolicy = 'directory-test' | 'dispatcher-test';

const quotas: Readonly<Record<TestPolicy, WeakMap<WebuiDeps, TokenBuckets>>> = {
  'directory-test': new WeakMap(),
  'dispatcher-test': new WeakMap(),
};

/**
 * Counts tests that connect to a server chosen by the caller or try a password.
 * @throws AppError `rate_limited`
 */
export function takeTest({ deps, principal, now }: WebuiCtx, policy: TestPolicy): void {
  const quota = quotas[policy].get(deps) ?? createTokenBuckets(mostUsers);
  quotas[policy].set(deps, quota);
  const retry_after_s = quota.take(ownerOf(principal).id, perMinute, now.getTime());
  if (retry_after_s === 0) return;
  const members = { policy, limit_per_minute: perMinute, retry_after_s };
  throw new AppError('rate_limited', undefined, members);
}
