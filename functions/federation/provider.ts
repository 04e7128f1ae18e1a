import { findProviderDomain } from '../../db/repositories/identity/login/providers.ts';
import type { ClientCtx } from '../../shared/context/context.ts';
import { callbackPath, signedOutPath } from '../../shared/identity/domains/oidc/addresses.ts';
import { storedClient } from '../../shared/identity/domains/oidc/client.ts';
import { storedParams } from '../../shared/identity/domains/oidc/settings/params.ts';
import { domainTypeOf } from '../../shared/identity/domains/registry.ts';
import type { ProviderDomain } from '../../shared/identity/providers/account.ts';
import { atProvider } from '../../shared/identity/providers/refusals.ts';
import { type AccountRules, rulesOf } from '../../shared/identity/providers/rules.ts';
import { notFound } from '../../shared/kernel/errors.ts';
import type { OidcClient } from '../../shared/remotes/oidc/port.ts';
import type { FederationDeps } from './deps.ts';

/** A domain whose users sign in at a provider, with its settings. */
export type Provider = {
  domain: ProviderDomain;
  client: OidcClient;
  rules: AccountRules;
  /** The answer of the provider is a form that the browser sends. */
  answersByForm: boolean;
};

type Ctx = Pick<ClientCtx<FederationDeps>, 'deps'>;

/** @throws AppError `not_found` for a domain of another type, a disabled or a missing one; `upstream_failed` without its secret */
export const findProvider = async (ctx: Ctx, id: string): Promise<Provider> =>
  providerOf(ctx, await findDomain(ctx, id));

/** @throws AppError `not_found` for a disabled or a missing domain */
export async function findDomain({ deps }: Ctx, id: string): Promise<ProviderDomain> {
  const domain = await findProviderDomain(deps.db, id);
  if (!domain) throw notFound();
  return domain;
}

/** @throws AppError as `findProvider` */
export async function providerOf({ deps }: Ctx, domain: ProviderDomain): Promise<Provider> {
  if (domainTypeOf(domain.type).login.proof !== 'redirect') throw notFound();
  const params = storedParams(domain.params);
  const { client_secret } = domain.params;
  const secrets = { client_secret: typeof client_secret === 'string' ? client_secret : null };
  return {
    domain,
    client: await atProvider(() => storedClient(deps, { ...domain, secrets })),
    rules: rulesOf(params),
    answersByForm: params.response_mode === 'form_post',
  };
}

/** The address to which providers send browsers back after a sign-in. */
export const callbackOf = ({ deps }: Ctx): string => `${deps.baseUrl}${callbackPath}`;

/** The address to which providers send browsers back after a sign-out. */
export const signedOutOf = ({ deps }: Ctx): string => `${deps.baseUrl}${signedOutPath}`;
