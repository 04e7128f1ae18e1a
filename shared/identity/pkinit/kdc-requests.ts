import { perProcess } from '../../context/process-memory.ts';
import { createTokenBuckets } from '../../kernel/concurrency/token-buckets.ts';
import { DerError } from '../../kernel/crypto/der.ts';
import { AppError } from '../../kernel/errors.ts';
import { networkOf } from '../../kernel/networks.ts';
import { type Reply, readReply } from '../../remotes/kerberos/replies.ts';
import type { Realm } from '../domains/domain-type.ts';
import type { CardCtx } from './deps.ts';

/** KDC requests of one login: the preflight and the signed request. */
const requestsPerLogin = 2;

const mostNetworks = 5_000;
const requestBuckets = perProcess(() => createTokenBuckets(mostNetworks));

/**
 * Sends a request to the KDCs of a realm. Each request counts toward the rate limit of the caller's network, because
 * the caller is anonymous. A successful login refunds its requests.
 * @throws AppError `rate_limited`, `upstream_*`
 */
export async function callRealm(
  ctx: CardCtx,
  { kdcs, deadlineMs }: Realm,
  message: Uint8Array,
): Promise<{ response: Buffer; reply: Reply }> {
  countRequest(ctx);
  const response = await ctx.upstream(() => ctx.deps.kdcs.ask({ kdcs, deadlineMs }, message));
  return { response, reply: readResponse(response) };
}

/** @throws AppError `rate_limited` above `lockout.ip_per_minute` */
function countRequest({ deps, client, parameters, now }: CardCtx): void {
  const limit_per_minute = parameters['lockout.ip_per_minute'];
  const buckets = requestBuckets(deps);
  const retry_after_s = buckets.take(networkOf(client.ip), limit_per_minute, now.getTime());
  if (retry_after_s > 0)
    throw new AppError('rate_limited', undefined, { policy: 'address', limit_per_minute, retry_after_s });
}

/** Refunds the requests of a successful login, so that only failed logins count. */
export function giveBackQuestions({ deps, client }: CardCtx): void {
  for (let count = 0; count < requestsPerLogin; count++) requestBuckets(deps).giveBack(networkOf(client.ip));
}

/** @throws AppError `upstream_failed` for an invalid reply */
export function readResponse(response: Uint8Array): Reply {
  try {
    return readReply(response);
  } catch (cause) {
    if (!(cause instanceof DerError || cause instanceof TypeError)) throw cause;
    const detail = 'The KDC of the domain returned an invalid response';
    throw new AppError('upstream_failed', detail, { reason: 'malformed' }, { cause });
  }
}
