import { findClientKeys } from '../../../../db/repositories/identity/client-keys.ts';
import { type ClientAuthentication, type OidcClient, OidcError } from '../../../remotes/oidc/port.ts';
import type { DomainDeps, StoredDomain } from '../domain-type.ts';
import { openClientKey } from './client-key.ts';
import { pairOf, requiredClaimsOf } from './settings/pairs.ts';
import { type OidcParams, storedParams } from './settings/params.ts';

type ClientDeps = Pick<DomainDeps, 'db' | 'sealer'>;

/** The registration at the provider from settings. */
export const clientOf = (params: OidcParams, authentication: ClientAuthentication): OidcClient => ({
  issuer: params.issuer,
  discoveryUrl: params.discovery_url ?? undefined,
  clientId: params.client_id,
  authentication,
  ca: params.ca_certificate ?? undefined,
  scopes: params.scopes,
  isOffline: params.recheck,
  subjectClaim: params.subject_claim,
  loginNameClaim: params.login_name_claim,
  groupsClaim: params.groups_claim === '' ? undefined : params.groups_claim,
  requiredClaims: requiredClaimsOf(params.required_claims),
  trustsEmail: params.trusts_email,
  authorizationParameters: Object.fromEntries(params.authorization_parameters.map(pairOf)),
  allowedTenants: params.allowed_tenants,
  acrValues: params.acr_values,
  amrValues: params.amr_values,
  prompt: params.prompt === 'default' ? undefined : params.prompt,
  deadlineMs: params.timeout_s * 1000,
});

/**
 * The registration of a stored domain.
 * @throws OidcError `not_configured` if the domain has no secret or key
 */
export async function storedClient(deps: ClientDeps, domain: StoredDomain): Promise<OidcClient> {
  const params = storedParams(domain.params);
  const authentication =
    params.client_authentication === 'private_key'
      ? await keyOf(deps, domain.id)
      : await secretOf(deps, domain.id, domain.secrets.client_secret);
  return clientOf(params, authentication);
}

/** @throws OidcError `not_configured` */
export async function secretOf(
  { sealer }: Pick<ClientDeps, 'sealer'>,
  domainId: string,
  sealed: string | null | undefined,
): Promise<ClientAuthentication> {
  if (sealed == null) throw new OidcError('not_configured');
  const place = { table: 'authenticators', row: domainId, column: 'params.client_secret' };
  return { kind: 'secret', secret: await sealer.open(sealed, place) };
}

/** @throws OidcError `not_configured` */
export async function keyOf({ db, sealer }: ClientDeps, domainId: string): Promise<ClientAuthentication> {
  const [newest] = await findClientKeys(db, domainId);
  if (!newest) throw new OidcError('not_configured');
  return { kind: 'key', key: await openClientKey(sealer, newest), kid: newest.id };
}
