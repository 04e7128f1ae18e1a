import { randomUUID } from 'node:crypto';
import type { Json } from '../../e2e/support/api.ts';
import { listedSite, type ProductStand } from '../product/stand.ts';
import { loginBody } from '../settings.ts';

/** One class of operations. */
export type TripOperation = {
  name: string;
  /** A signed-in read without a call of a dispatcher. */
  isRead?: boolean;
  /** It calculates one password hash. */
  hashes?: boolean;
  /** Work that is not measured. Its result is given to `run`. */
  prepare?: () => Promise<Json>;
  run: (prepared: Json) => Promise<{ status: number; body: Json }>;
};

const webui = '/api/webui/aggregator';
const password = 'a long way between portal and database';
const named = () => ({ name: `trips-${randomUUID()}` });

export function tripOperations(stand: ProductStand): TripOperation[] {
  return [...readsOf(stand), ...writesOf(stand), ...identityOf(stand)];
}

function readsOf({ api, adminToken, userToken, domainId, connectionPath }: ProductStand): TripOperation[] {
  const get =
    (path: string, token = '') =>
    () =>
      api.send(`GET ${path}`, { token });
  const read = (name: string, path: string, token: string) => ({ name, isRead: true, run: get(path, token) });
  const services = `/aggregator/api/client/v7.0/${listedSite}/servicesList/`;
  const check = connectionPath.replace('connectionInfo', 'preconnectionInfo');
  return [
    { name: 'domain list', run: get('/api/auth/v7.0/authenticators') },
    read('userinfo', '/api/userinfo', userToken),
    read('50 users', `${webui}/authenticators/${domainId}/users?limit=50`, adminToken),
    read('servicesList', services, userToken),
    read('preconnectionInfo', check, userToken),
    { name: 'connectionInfo, one call', run: get(connectionPath, userToken) },
  ];
}

function writesOf({ api, adminToken: token }: ProductStand): TripOperation[] {
  const create = (headers: Record<string, string> = {}) =>
    api.send(`POST ${webui}/tags`, { token, headers, body: named() });
  const created = async () => (await create()).body;
  const site = async () => {
    const { body } = await api.send(`GET ${webui}/sites?search=${listedSite}`, { token });
    return body.items[0];
  };
  return [
    { name: 'create a tag', run: () => create() },
    {
      name: '  with Idempotency-Key',
      run: () => create({ 'idempotency-key': randomUUID() }),
    },
    {
      name: 'patch a site',
      prepare: site,
      run: ({ id }) => api.send(`PATCH ${webui}/sites/${id}`, { token, body: { comments: named().name } }),
    },
    {
      name: 'delete a tag',
      prepare: created,
      run: ({ id }) => api.send(`DELETE ${webui}/tags/${id}`, { token }),
    },
  ];
}

function identityOf({ api, adminToken: token, domainId }: ProductStand): TripOperation[] {
  const users = `${webui}/authenticators/${domainId}/users`;
  return [
    {
      name: 'create a user',
      hashes: true,
      run: () => api.send(`POST ${users}`, { token, body: { ...named(), password } }),
    },
    {
      name: 'login',
      hashes: true,
      run: () =>
        api.send('POST /api/auth/v7.0/login', {
          body: loginBody,
        }),
    },
  ];
}
