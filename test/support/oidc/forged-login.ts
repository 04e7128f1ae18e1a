import { createNodeTransport } from '../../../shared/remotes/http/node.ts';
import type { Transport } from '../../../shared/remotes/http/transport.ts';
import type { OidcClient, OidcRemote, ProviderLogin } from '../../../shared/remotes/oidc/port.ts';
import { createOidcRemote } from '../../../shared/remotes/oidc/remote.ts';
import { createSingleFlight } from '../../../shared/runtime/node/single-flight.ts';
import { claimsOf, type Forger, signed } from './forger.ts';
import { callback } from './provider.ts';
import { newRequest, registrationAt } from './registration.ts';

type Claims = Record<string, unknown>;
export type Forgery = {
  /** Changes of a correct ID token. */
  claims?: Claims;
  /** Replaces the ID token. */
  token?: (claims: Claims) => string | Promise<string>;
  /** Changes of the answer of the token endpoint. */
  answer?: Claims;
  /** Changes of the parameters of the callback. A parameter that is undefined is left out. */
  callback?: Record<string, string | undefined>;
  client?: Partial<OidcClient>;
};

/** Sign-ins at a forging provider with a client that remembers nothing of earlier tests. */
export function forgedLogins(forger: Forger, between: (real: Transport) => Transport = (real) => real) {
  const transport = createNodeTransport({ allowedNetworks: ['127.0.0.0/8', '::1'], allowInsecure: false });
  const newRemote = (): OidcRemote =>
    createOidcRemote({ transport: between(transport), singleFlight: createSingleFlight() });
  let own: Forger['answers']['token'];
  const exchange = async (forgery: Forgery, remote = newRemote()): Promise<ProviderLogin> => {
    const request = newRequest();
    const claims = { ...claimsOf(forger.issuer, request.nonce), ...forgery.claims };
    const id_token = await (forgery.token ?? ((given) => signed(given, forger.key)))(claims);
    if (forger.answers.token === own) delete forger.answers.token;
    own = () => ({
      json: { access_token: 'access', token_type: 'Bearer', id_token, ...forgery.answer },
    });
    forger.answers.token ??= own;
    const parameters = { code: 'code', state: request.state, iss: forger.issuer, ...forgery.callback };
    const returned = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters))
      if (value !== undefined) returned.append(name, value);
    return remote.exchange(registrationAt(forger, forgery.client), {
      ...request,
      redirectUri: callback,
      callback: returned,
    });
  };
  return { newRemote, exchange, close: () => transport.close() };
}
