import { createTokenBuckets } from '../../shared/kernel/concurrency/token-buckets.ts';
import { sameText } from '../../shared/kernel/crypto/digests.ts';
import { AppError, notFound } from '../../shared/kernel/errors.ts';
import { networkOf } from '../../shared/kernel/networks.ts';

/** Requests a minute of one network: with the key, and with anything else in its place. */
export const urlKeyLimits = { right: 600, wrong: 60 };

/** Networks that are counted; each kind has its own room. */
const mostNetworks = 5_000;

export type UrlKeyGuard = (given: string, ip: string, now: Date) => void;

/**
 * Admits the key of `HEALTH_CHECK_URL_KEY` in a path. A wrong key is answered like a path that does not exist, and so is
 * every key where none is configured. Wrong keys do not use up the requests of a monitor in the same network.
 * @returns a function that throws AppError `not_found` or `rate_limited`
 */
export function createUrlKeyGuard(key: string | undefined): UrlKeyGuard {
  const buckets = { right: createTokenBuckets(mostNetworks), wrong: createTokenBuckets(mostNetworks) };
  return (given, ip, now) => {
    const isSame = sameText(given, key ?? '');
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
