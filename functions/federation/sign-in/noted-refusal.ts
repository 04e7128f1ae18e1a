import { atomically } from '../../../db/client.ts';
import { asAppError } from '../../../db/errors.ts';
import { noteProviderFault } from '../../../db/repositories/identity/login/provider-states.ts';
import type { RequestCtx } from '../../../shared/http/context.ts';
import { failedLogin, noteUnadmitted } from '../../../shared/identity/login/failures.ts';
import type { ProviderDomain } from '../../../shared/identity/providers/account.ts';
import { isOfProvider } from '../../../shared/identity/providers/provider-faults.ts';
import { causeOf, factsOf } from '../../../shared/identity/providers/refusals.ts';
import { networkOf } from '../../../shared/kernel/networks.ts';
import type { FederationDeps } from '../deps.ts';

type Ctx = RequestCtx<FederationDeps>;

/**
 * Audits a refusal of or about the provider, before a user is known, with what the provider has sent. Repetitions from one network
 * are counted. A failure of the provider itself is also noted as its state.
 */
export async function notingRefusal<T>(ctx: Ctx, domain: ProviderDomain, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { reason = null, provider_code } = asAppError(error).members;
    const failed = failedLogin(ctx, { username: '', authId: domain.id }, { domain, user: null });
    const details = { ...failed.details, factor: 'provider', reason, ...factsOf(error) };
    // The answer that a browser brings can have any code: as part of the subject it would write an event for each.
    const code = causeOf(error)?.endpoint === 'authorization' ? '' : provider_code;
    const subject = `${domain.id}/provider ${reason} ${code ?? ''}`;
    const attempt = { account: subject, network: networkOf(ctx.client.ip) };
    await noteUnadmitted(ctx, attempt, { ...failed, user_name: null, details }, error);
    await noteState(ctx, domain, error);
    throw error;
  }
}

/** A visitor who has left ended the request to the provider, which says nothing about the provider. */
async function noteState(
  { deps: { db }, now, gone }: Ctx,
  domain: ProviderDomain,
  error: unknown,
): Promise<void> {
  const cause = causeOf(error);
  if (!cause || !isOfProvider(cause) || gone().aborted) return;
  const reason = cause.providerCode ?? cause.reason;
  await atomically(db, (h) => [noteProviderFault(h, domain, 'sign_in', reason, now)]);
}
