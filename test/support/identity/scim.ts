import { addDomain, unique, type World } from '../factories.ts';
import type { Answer, Json } from '../portal.ts';
import { addServiceToken, addServiceUser } from './service-tokens.ts';

/** A client of SCIM for one domain: `ask('GET /Users')`. */
export type ScimClient = {
  domain: Json;
  token: string;
  ask: ScimAsk;
  /** The same with another token. */
  as(token: string | undefined): ScimAsk;
};
type ScimAsk = (route: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;

/** A domain of an identity provider. Nothing connects to the provider. */
export const addProviderDomain = ({ admin }: Pick<World, 'admin'>) =>
  addDomain(admin, {
    type: 'oidc',
    params: { issuer: 'https://login.example.com/staff', client_id: 'portal', client_secret: 'a secret' },
  });

/** A service user of the domain with a token for provisioning, as an administrator creates them. By default, of a new domain. */
export async function startScim(
  { portal, admin }: Pick<World, 'portal' | 'admin'>,
  given?: Json,
): Promise<ScimClient> {
  const domain = given ?? (await addProviderDomain({ admin }));
  const { user } = await addServiceUser({ admin, domain }, ['scim.provision']);
  const { made } = await addServiceToken({ portal, admin, domain }, user, {
    permissions: ['scim.provision'],
  });
  const as: ScimClient['as'] = (token) => (route, body, headers) => {
    const [method, path = ''] = route.split(/ (.*)/);
    return portal.send(`${method} /scim/v2/${domain.id}${path}`, {
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      headers: {
        ...(body !== undefined && { 'content-type': 'application/scim+json' }),
        ...(token && { authorization: `Bearer ${token}` }),
        ...headers,
      },
    });
  };
  return { domain, token: made.token, ask: as(made.token), as };
}

export const filtered = (path: string, filter: string): string =>
  `GET ${path}?filter=${encodeURIComponent(filter)}`;

/** Creates a user by SCIM. */
export async function addScimUser({ ask }: Pick<ScimClient, 'ask'>, given: Json = {}): Promise<Json> {
  const answer = await ask('POST /Users', { userName: unique('user'), ...given });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body;
}

export async function addScimGroup({ ask }: Pick<ScimClient, 'ask'>, members: Json[] = [], given: Json = {}) {
  const sent = { displayName: unique('group'), members: members.map(({ id }) => ({ value: id })), ...given };
  const answer = await ask('POST /Groups', sent);
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body;
}

export const patchOf = (...Operations: Json[]) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations,
});
