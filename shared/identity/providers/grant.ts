import type { Sealer } from '../../kernel/crypto/sealing.ts';
import type { ProviderLogin, RefreshGrant } from '../../remotes/oidc/port.ts';

/** What a check at the provider needs of a login. */
export type StoredGrant = RefreshGrant;

const placeOf = (id: string) => ({ table: 'provider_grants', row: id, column: 'sealed_grant' });

/** @param refreshToken replaces that of the login: a provider may return no new one */
export function sealGrant(
  sealer: Pick<Sealer, 'seal'>,
  id: string,
  { issuer, sub, subject, loginName, idToken }: ProviderLogin,
  refreshToken: string,
): Promise<string> {
  const grant: StoredGrant = { refreshToken, login: { issuer, sub, subject, loginName, idToken } };
  return sealer.seal(JSON.stringify(grant), placeOf(id));
}

export const openGrant = async (
  sealer: Pick<Sealer, 'open'>,
  id: string,
  sealed: string,
): Promise<StoredGrant> => JSON.parse(await sealer.open(sealed, placeOf(id)));
