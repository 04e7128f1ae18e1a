import { type ClientAuth, ClientSecretBasic, ClientSecretPost, PrivateKeyJwt } from 'oauth4webapi';
import type { ClientAuthentication } from '../port.ts';
import { authenticationMethod } from '../provider/metadata.ts';
import type { Call } from './call.ts';
import type { Provider } from './memory.ts';

const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };

/**
 * The authentication of the portal at the token endpoint. There is no method without a secret or key.
 * @throws OidcError `discovery` if the provider does not offer the configured method
 */
export async function authenticationOf({ client }: Call, { metadata }: Provider): Promise<ClientAuth> {
  const method = authenticationMethod(metadata, client);
  const { authentication } = client;
  if (authentication.kind === 'key') return byKey(authentication);
  return method === 'client_secret_basic'
    ? ClientSecretBasic(authentication.secret)
    : ClientSecretPost(authentication.secret);
}

/** The audience of the assertion is the issuer, so that it is not valid at another provider. */
async function byKey({ key, kid }: ClientAuthentication & { kind: 'key' }): Promise<ClientAuth> {
  const imported = await crypto.subtle.importKey('jwk', key, algorithm, false, ['sign']);
  return PrivateKeyJwt({ key: imported, kid });
}
