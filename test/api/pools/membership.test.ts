import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../shared/kernel/ids.ts';
import { startPortal, type TestPortal } from '../../support/portal.ts';

const base = '/api/webui/aggregator';
let portal: TestPortal;
let token: string;

beforeAll(async () => {
  portal = await startPortal();
  token = await portal.login();
});
afterAll(() => portal.close());

const admin = (route: string, body?: unknown) => portal.send(route, { token, body });
const domain = async (name: string): Promise<string> =>
  (await admin(`POST ${base}/authenticators`, { name, small_name: name, type: 'internal' })).body.id;
const group = async (domainId: string, fields: object): Promise<string> =>
  (await admin(`POST ${base}/authenticators/${domainId}/groups`, fields)).body.id;

describe('a reference of an object', () => {
  it('cannot put a user into a group of another domain', async () => {
    const [own, other] = [await domain('Own'), await domain('Other')];
    const [mine, foreign] = [await group(own, { name: 'Mine' }), await group(other, { name: 'Foreign' })];
    const users = `${base}/authenticators/${own}/users`;
    const person = { password: 'a pass phrase of some length' };
    const refused = await admin(`POST ${users}`, { ...person, name: 'eve', groups: [mine, foreign] });
    expect([refused.status, refused.body.errors]).toMatchObject([
      422,
      [{ pointer: '/groups', code: 'not_found' }],
    ]);
    const created = await admin(`POST ${users}`, { ...person, name: 'ann', groups: [mine] });
    expect(created.status).toBe(201);
    const moved = await admin(`PATCH ${users}/${created.body.id}`, { groups: [foreign] });
    expect(moved.status).toBe(422);
    const kept = await admin(`GET ${users}/${created.body.id}`);
    expect(kept.body.groups).toEqual([mine]);
  });

  it('names existing sites in the scope of a role', async () => {
    const scope = { sites: [newId()] };
    const refused = await admin(`POST ${base}/rbac`, { name: 'Nowhere', permissions: ['sites.read'], scope });
    expect([refused.status, refused.body.errors]).toMatchObject([422, [{ pointer: '/scope/sites' }]]);
  });

  it('to a directory name is kept by a PUT of a group that omits it', async () => {
    const own = await domain('Kept');
    const id = await group(own, { name: 'Staff', external_id: 'cn=staff,dc=example' });
    const one = `${base}/authenticators/${own}/groups/${id}`;
    const replaced = await admin(`PUT ${one}`, { name: 'Staff', comments: 'x' });
    expect(replaced.body).toMatchObject({ external_id: 'cn=staff,dc=example', comments: 'x' });
    expect((await admin(`PUT ${one}`, { name: 'Staff', external_id: 'cn=other' })).status).toBe(422);
  });
});
