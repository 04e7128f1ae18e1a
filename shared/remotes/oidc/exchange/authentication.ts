import { type ClientAuth, ClientSecretBasic, ClientSecretPost, PrivateKeyJwt } from 'oauth4webapi';
import { RecentMap } from '../../../kernel/concurrency/recent-map.ts';
import type { ClientAuthentication } from '../port.ts';
import { type AuthenticationMethod, authenticationMethods } from '../provider/metadata.ts';
import type { Call } from './call.ts';
import type { Memory, Provider } from './memory.ts';

export const createMethodCache = (): Memory['methods'] => new RecentMap(1_000);

const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };

/**
 * Sends a request with the authentication of the portal. There is no method without a secret or key. If the provider refuses
 * the client and announces another method, that one is tried once and then remembered: providers announce what some client may
 * use, and several do not decode a secret in the header `Authorization` (RFC 6749, 2.3.1).
 * @param send returns the unread response
 * @throws OidcError `discovery` if the provider does not offer the configured method; errors of `send`
 */
export async function authenticated(
  { client, memory }: Call,
  { id, metadata }: Provider,
  send: (authentication: ClientAuth) => Promise<Response>,
): Promise<Response> {
  const { authentication } = client;
  const announced = authenticationMethods(metadata, client);
  const place = `${id} ${client.clientId}`;
  const known = announced.find((method) => method === memory.methods.get(place)) ?? announced[0];
  const other = announced.find((method) => method !== known);
  const response = await send(await byMethod(known, authentication));
  if (other === undefined || !(await isClientRefused(response))) return response;
  const second = await send(await byMethod(other, authentication));
  if (await isClientRefused(second)) return response;
  memory.methods.set(place, other);
  return second;
}

async function byMethod(
  method: AuthenticationMethod,
  authentication: ClientAuthentication,
): Promise<ClientAuth> {
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

const refusals: readonly unknown[] = ['invalid_client', 'unauthorized_client'];

/**
 * The status 401 (RFC 6749, 5.2), `invalid_client`, or no code at all. To a wrong secret or method, Auth0 answers 401 with
 * `access_denied`, and Glewlwyd 403 with `unauthorized_client` or 400 without a body.
 */
async function isClientRefused(response: Response): Promise<boolean> {
  if (response.status === 401) return true;
  if (![400, 403].includes(response.status)) return false;
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  const error = typeof body === 'object' && body !== null ? Reflect.get(body, 'error') : undefined;
  return error === undefined || refusals.includes(error);
}
