import type { Target } from '../load.ts';
import { farmsOfList, listedSite, type ProductStand } from '../product/stand.ts';
import { loginBody } from '../settings.ts';

/** One operation as a client calls it. */
export type Operation = {
  name: string;
  path: string;
  token?: string;
  body?: string;
  /** The floor that answers the same path: bare routes on Node and in a Worker, on Node only, or a hash. */
  floor: 'everywhere' | 'node' | 'login';
  /** The number of concurrent calls is limited by their CPU time. */
  isHeavy?: boolean;
};

/** The typical calls of a day: login, reads, lists, connections. */
export function operationsOf({ userToken, adminToken, domainId, connectionPath }: ProductStand): Operation[] {
  const webui = '/api/webui/aggregator';
  const read = (name: string, path: string, token?: string): Operation => ({
    name,
    path,
    ...(token !== undefined && { token }),
    floor: 'everywhere',
  });
  const users = `${webui}/authenticators/${domainId}/users`;
  return [
    read('domain list', '/api/auth/v7.0/authenticators'),
    { name: 'login', path: '/api/auth/v7.0/login', body: loginBody, floor: 'login', isHeavy: true },
    read('userinfo', '/api/userinfo', userToken),
    read('50 users', `${users}?limit=50`, adminToken),
    read('200 users', `${users}?limit=200`, adminToken),
    read('50 workplaces', `${webui}/workplaces?limit=50`, adminToken),
    read(servicesList, `/aggregator/api/client/v7.0/${listedSite}/servicesList/`, userToken),
    { ...read('connectionInfo', connectionPath, userToken), floor: 'node' },
  ];
}

export const servicesList = `servicesList, ${farmsOfList} farms`;

export const targetOf = (baseUrl: string, { path, token, body }: Operation): Target => ({
  url: baseUrl + path,
  headers: {
    ...(token !== undefined && { 'x-auth-token': token }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  },
  ...(body !== undefined && { body }),
});
