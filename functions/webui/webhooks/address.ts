import { spellingOf } from '../../../shared/kernel/addresses/check.ts';
import { isMasked, splitQuery } from '../../../shared/kernel/addresses/secret-query.ts';
import { invalid } from '../../../shared/kernel/errors.ts';
import { checkUrl } from '../../../shared/remotes/http/address-policy.ts';
import type { WebuiCtx } from '../deps.ts';

type StoredAddress = { url: string; sealed_query: string | null };

/** `isOther`: events go elsewhere. `url` contains no secret. */
type NewAddress = { url: string; isOther: boolean; columns: { sealed_query?: string | null } };

/**
 * The address of a webhook after a write.
 * @param url in the stored spelling, with its query, or with the mark of a stored one
 * @throws AppError `invalid_request` for an address that the policy does not allow, and for a mark without a stored query
 *   of the same address, because a query is a credential for its receiver only
 */
export async function addressFor(
  ctx: WebuiCtx,
  id: string,
  url: string,
  stored?: StoredAddress,
): Promise<NewAddress> {
  checkAllowed(ctx, url);
  const isSame = stored !== undefined && spellingOf(stored.url, 'webhook') === withMask(url);
  if (isMasked(url)) {
    if (isSame) return { url, isOther: false, columns: {} };
    throw invalid({ pointer: '/url', code: 'required', detail: 'Enter the query as well: it is not shown' });
  }
  const { shown, query } = splitQuery(url);
  if (query === null) return { url, isOther: !isSame, columns: { sealed_query: null } };
  const place = { table: 'webhooks', row: id, column: 'sealed_query' };
  const sealed = isSame ? stored.sealed_query : null;
  // A query whose key is lost is replaced like another one.
  const known = sealed === null ? null : await ctx.deps.sealer.open(sealed, place).catch(() => null);
  if (known === query) return { url: shown, isOther: false, columns: {} };
  return { url: shown, isOther: true, columns: { sealed_query: await ctx.deps.sealer.seal(query, place) } };
}

const withMask = (url: string): string => (isMasked(url) ? url : splitQuery(url).shown);

function checkAllowed({ deps: { webhookNetworks } }: WebuiCtx, url: string): void {
  const checked = checkUrl(url, 'webhook', { allowedNetworks: webhookNetworks });
  if (!checked.ok) throw invalid({ pointer: '/url', code: 'address_not_allowed', detail: checked.detail });
}
