import type pg from 'pg';
import { alice, domain } from '../../simulator/demo/seed.ts';
import type { Target } from '../load.ts';
import type { Stand } from '../stand.ts';

/** Number of rows in the lists during the measurement. */
export type Rows = { users: number; workplaces: number };

/** One operation as a client calls it. */
export type Operation = {
  name: string;
  method: 'GET' | 'POST';
  path: string;
  token?: string;
  body?: string;
  /** The reference: the bare run of its own statements, a server of the stand, or none. */
  floor: 'statements' | Target | undefined;
  /** The number of concurrent calls is limited by their CPU time. */
  isHeavy?: boolean;
};

/** The typical calls of a day: login, reads, lists, connections. */
export async function operationsOf(stand: Stand, database: pg.Pool, userToken: string): Promise<Operation[]> {
  const { rows } = await database.query('select id from authenticators where small_name = $1', [
    domain.small_name,
  ]);
  const webui = '/api/webui/aggregator';
  const read = (name: string, path: string, token?: string): Operation => ({
    name,
    method: 'GET',
    path,
    ...(token !== undefined && { token }),
    floor: 'statements',
  });
  const { pathname } = new URL(stand.connectionInfo.portal.url);
  return [
    read('domain list', '/api/auth/v7.0/authenticators'),
    {
      name: 'login',
      method: 'POST',
      path: '/api/auth/v7.0/login',
      body: JSON.stringify({
        username: alice.name,
        password: alice.password,
        authSmallName: domain.small_name,
      }),
      floor: stand.login.floor,
      isHeavy: true,
    },
    read('userinfo', '/api/userinfo', userToken),
    read('50 users', `${webui}/authenticators/${rows[0].id}/users?limit=50`, stand.adminToken),
    read('50 workplaces', `${webui}/workplaces?limit=50`, stand.adminToken),
    read('servicesList, 20 farms', '/aggregator/api/client/v7.0/listed-site-1/servicesList/', userToken),
    { ...read('connectionInfo', pathname, userToken), floor: stand.connectionInfo.floor },
  ];
}

export const targetOf = (baseUrl: string, { path, token, body }: Operation): Target => ({
  url: baseUrl + path,
  headers: {
    ...(token !== undefined && { 'x-auth-token': token }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  },
  ...(body !== undefined && { body }),
});
