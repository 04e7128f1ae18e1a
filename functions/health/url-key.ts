import { createTokenBuckets } from '../../shared/kernel/concurrency/token-buckets.ts';
import { sameText } from '../../shared/kernel/crypto/digests.ts';
import { AppError, notFound } from '../../shared/kernel/errors.ts';
import { networkOf } from '../../shared/kernel/networks.ts';

/** Rate limits per network and minute: for requests with the correct key, and for all others. */
export const urlKeyLimits = { right: 600, wrong: 60 };

/** Number of networks tracked, separately for correct and wrong keys. */
const maxNetworks = 5_000;

export type UrlKeyGuard = (key: string, ip: string, now: Date) => void;

/**
 * Checks the key in a path against `HEALTH_CHECK_URL_KEY`. A wrong key gets the response of a path that does not
 * exist, as does every key if none is configured. Wrong keys do not use up the limit of a monitor in the same
 * network.
 * @returns a function that throws AppError `not_found` or `rate_limited`
 */
export function createUrlKeyGuard(key: string | undefined): UrlKeyGuard {
  const buckets = { right: createTokenBuckets(maxNetworks), wrong: createTokenBuckets(maxNetworks) };
  return (presented, ip, now) => {
    const isSame = sameText(presented, key ?? '');
    const kind = isSame && key ? 'right' : 'wrong';
    const limit = urlKeyLimits[kind];
    const waitS = buckets[kind].take(networkOf(ip), limit, now.getTime());
    if (waitS > 0)
      throw new AppError('rate_limited', undefined, {
        policy: 'address',
        limit_per_minute: limit,
        retry_after_s: waitS,
      });
    if (kind === 'wrong') throw notFound();
  };
}
