import { type FieldError, invalid } from '../../shared/kernel/errors.ts';
import { checkUrl } from '../../shared/remotes/http/address-policy.ts';
import type { WebuiCtx } from './deps.ts';

type NodeAddress = { url: string; verify_tls: boolean };

/** @throws AppError `invalid_request` for a destination that the installation does not allow */
export function checkAddress<Body extends NodeAddress>(ctx: WebuiCtx, body: Body): Body {
  const { outbound, allowInsecureDispatchers } = ctx.deps;
  const checked = checkUrl(body.url, outbound);
  const errors: FieldError[] = [];
  if (!checked.ok) errors.push({ pointer: '/url', code: 'address_not_allowed', detail: checked.detail });
  if (!body.verify_tls && !allowInsecureDispatchers) {
    errors.push({
      pointer: '/verify_tls',
      code: 'not_allowed',
      detail: 'Allowed only with ALLOW_INSECURE_DISPATCHERS=1',
    });
  }
  if (errors.length > 0) throw invalid(...errors);
  return { ...body, url: body.url.replace(/\/+$/, '') };
}

/** Encrypts the key of the health check of a node for its row. */
export const sealedKey = async (ctx: WebuiCtx, id: string, key: string | null) => ({
  health_key:
    key === null
      ? null
      : await ctx.deps.sealer.seal(key, { table: 'dispatchers', row: id, column: 'health_key' }),
});
