import type { ClientKey } from '../../../../db/repositories/identity/client-keys.ts';
import type { Sealer } from '../../../kernel/crypto/sealing.ts';
import { newId } from '../../../kernel/ids.ts';

/** RS256 is the only algorithm that every provider with `private_key_jwt` accepts (OpenID Connect Core, 15.1). */
const algorithm = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  modulusLength: 2048,
  publicExponent: new Uint8Array([1, 0, 1]),
};

const placeOf = (id: string) => ({ table: 'client_keys', row: id, column: 'sealed_private_key' });

/** A new key of a domain, to be stored. */
export async function newClientKey(sealer: Sealer, domainId: string, now: Date): Promise<ClientKey> {
  const id = newId();
  const { privateKey } = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const jwk = await crypto.subtle.exportKey('jwk', privateKey);
  return {
    id,
    authenticator_id: domainId,
    public_jwk: { kty: 'RSA', alg: 'RS256', use: 'sig', n: jwk.n ?? '', e: jwk.e ?? '' },
    sealed_private_key: await sealer.seal(JSON.stringify(jwk), placeOf(id)),
    created_at: now,
  };
}

/** The private key as a JWK. */
export const openClientKey = async (
  sealer: Sealer,
  { id, sealed_private_key }: ClientKey,
): Promise<JsonWebKey> => JSON.parse(await sealer.open(sealed_private_key, placeOf(id)));
