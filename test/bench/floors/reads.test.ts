import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json } from '../../e2e/support/api.ts';
import { goodPassword } from '../../support/factories.ts';
import { startPortal, type TestPortal } from '../../support/portal.ts';
import { readRoutes } from './reads.ts';
import { shapeOf } from './shapes.ts';

let portal: TestPortal;
let admin: string;
let own: string;
let pool: pg.Pool;
let users: string;
beforeAll(async () => {
  portal = await startPortal();
  admin = await portal.login();
  const domains = await portal.send('GET /api/webui/aggregator/authenticators', { token: admin });
  users = `/api/webui/aggregator/authenticators/${domains.body.items[0].id}/users`;
  const body = { name: 'alice', password: goodPassword };
  await portal.send(`POST ${users}`, { token: admin, body });
  own = await portal.login('alice', goodPassword);
  pool = new pg.Pool({ connectionString: portal.databaseUrl, max: 1 });
});
afterAll(async () => {
  await pool?.end();
  await portal?.close();
});

it.each([
  ['the login list', () => '/api/auth/v7.0/authenticators', () => own],
  ['userinfo', () => '/api/userinfo', () => own],
  ['a page of users', () => `${users}?limit=1`, () => admin],
])('the floor of %s has the members of the portal', async (_read, pathOf, tokenOf) => {
  const [path, token] = [pathOf(), tokenOf()];
  const { status, body } = await portal.send(`GET ${path}`, { token });
  const floor = readRoutes(async ({ text }, values) => (await pool.query(text, values)).rows);
  const bare = await floor.request(path, { headers: { 'x-auth-token': token } });
  const shown: Json = await bare.json();
  expect([status, shapeOf(shown)]).toEqual([200, shapeOf(body)]);
});
