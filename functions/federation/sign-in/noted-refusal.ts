import { asAppError } from '../../../db/errors.ts';
import type { RequestCtx } from '../../../shared/http/context.ts';
import { failedLogin, noteUnadmitted } from '../../../shared/identity/login/failures.ts';
import type { ProviderDomain } from '../../../shared/identity/providers/account.ts';
import { networkOf } from '../../../shared/kernel/networks.ts';
import type { FederationDeps } from '../deps.ts';

/** Audits a refusal of or about the provider, before a user is known. Repetitions from one network are counted. */
export async function notingRefusal<T>(
  ctx: RequestCtx<FederationDeps>,
  domain: ProviderDomain,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { reason = null, provider_code } = asAppError(error).members;
    const failed = failedLogin(ctx, { username: '', authId: domain.id }, { domain, user: null });
    const details = {
      ...failed.details,
      factor: 'provider',
      reason,
      ...(provider_code ? { provider_code } : {}),
    };
    const subject = `${domain.id}/provider ${reason} ${provider_code ?? ''}`;
    const attempt = { account: subject, network: networkOf(ctx.client.ip) };
    await noteUnadmitted(ctx, attempt, { ...failed, user_name: null, details }, error);
    throw error;
  }
}
