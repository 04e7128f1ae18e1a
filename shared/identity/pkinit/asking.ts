import { rateLimitsOf } from '../../http/serve/rate-limits.ts';
import { DerError } from '../../kernel/crypto/der.ts';
import { AppError } from '../../kernel/errors.ts';
import { type Reply, readReply } from '../../remotes/kerberos/replies.ts';
import type { CardCtx } from './deps.ts';
import type { Realm } from './realm.ts';

/** Questions that one login asks: of the realm, and with the signature. */
export const questionsOfLogin = 2;

/**
 * Asks the KDCs of a realm, unless the address of the caller has had too many vain questions asked.
 * @throws AppError `rate_limited`, `upstream_*`
 */
export async function askRealm(
  ctx: CardCtx,
  { kdcs, deadlineMs }: Realm,
  message: Uint8Array,
): Promise<{ response: Buffer; reply: Reply }> {
  rateLimitsOf(ctx.deps).takeQuestion(ctx.client.ip, ctx.now);
  const response = await ctx.upstream(() => ctx.deps.kdcs.ask({ kdcs, deadlineMs }, message));
  return { response, reply: readResponse(response) };
}

/** @throws AppError `upstream_failed` for bytes that are no reply */
export function readResponse(response: Uint8Array): Reply {
  try {
    return readReply(response);
  } catch (cause) {
    if (!(cause instanceof DerError || cause instanceof TypeError)) throw cause;
    const detail = 'The KDC of the domain returned an invalid response';
    throw new AppError('upstream_failed', detail, { reason: 'malformed' }, { cause });
  }
}
