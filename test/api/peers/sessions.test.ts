import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idempotencyKeys } from '../../../db/schema/jobs/idempotency-keys.ts';
import { operations, pathOf } from '../../contract/generated/described.ts';
import {
  type Ask,
  addMember,
  addRole,
  asker,
  audited,
  base,
  siteBody,
  unique,
  useWorld,
} from '../../support/factories.ts';
import { addPeer, exchange, type Peer } from '../../support/identity/peers.ts';
import { type Answer, type Json, startPortal, type TestPortal } from '../../support/portal.ts';

const world = useWorld();
let portal: TestPortal;
/** Another process on the same database. */
let elsewhere: TestPortal;

beforeAll(async () => {
  portal = world.portal;
  elsewhere = await startPortal({ database: portal.database });
});
afterAll(async () => {
  await elsewhere.close();
});

type Guest = Peer & { role: Json; token: string; ask: Ask };

async function addGuest(permissions: readonly string[], sites: '*' | string[] = '*'): Promise<Guest> {
  const role = await addRole(world.admin, permissions, { scope: { sites } });
  const one = await addPeer(world.admin, [role.id]);
  const { token } = (await exchange(portal, one)).body;
  return { ...one, role, token, ask: asker(portal, token) };
}
const outcome = ({ status, body }: Answer) => [status, body.code].filter((part) => part !== undefined);

describe('the session of a peer', () => {
  it('gains and loses permissions with its roles, at the next request to any process', async () => {
    const guest = await addGuest(['sites.read']);
    const sites = async () =>
      Promise.all(
        [portal, elsewhere].map(async ({ send }) =>
          outcome(await send(`GET ${base}/sites`, { token: guest.token })),
        ),
      );
    expect(await sites()).toEqual([[200], [200]]);
    const { role } = guest;
    const edit = (permissions: string[]) => world.admin(`PATCH ${base}/rbac/${role.id}`, { permissions });
    expect((await edit(['gateways.read'])).status).toBe(200);
    expect(await sites()).toEqual([
      [403, 'forbidden'],
      [403, 'forbidden'],
    ]);
    expect((await edit(['sites.read'])).status).toBe(200);
    expect(await sites()).toEqual([[200], [200]]);
    const path = `/api/aggregator/v7.0/peers/${guest.peer.id}`;
    expect((await world.admin(`PUT ${path}`, { ...guest.peer, roles: [] })).status).toBe(200);
    expect(await sites()).toEqual([
      [403, 'forbidden'],
      [403, 'forbidden'],
    ]);
    expect((await world.admin(`PUT ${path}`, { ...guest.peer, enabled: false })).status).toBe(200);
    expect(await sites()).toEqual([
      [401, 'invalid_token'],
      [401, 'invalid_token'],
    ]);
  });

  it('has the sites of its roles only', async () => {
    const guest = await addGuest(['sites.read'], [world.site.id]);
    await world.admin(`POST ${base}/sites`, siteBody());
    const { body } = await guest.ask(`GET ${base}/sites`);
    expect(body.items.map(({ id }: Json) => id)).toEqual([world.site.id]);
  });

  it('is audited as the peer, in its writes and in its refusals', async () => {
    const guest = await addGuest(['sites.create']);
    const { events } = await audited(portal, async () => {
      expect((await guest.ask(`POST ${base}/sites`, siteBody())).status).toBe(201);
      expect((await guest.ask(`GET ${base}/farms`)).status).toBe(403);
    });
    const who = { user_id: guest.peer.id, user_name: guest.peer.name, domain: guest.peer.issuer };
    expect(events).toMatchObject([
      { ...who, event: 'portal.EntityAction', portal: 'admin', service_token: null },
      { ...who, event: 'portal.AccessRefused' },
    ]);
  });

  it('cannot grant more than its own permissions', async () => {
    const guest = await addGuest(['roles.create', 'roles.read', 'peers.create']);
    const role = await guest.ask(`POST ${base}/rbac`, { name: unique('role'), permissions: ['sites.read'] });
    expect([role.status, role.body.missing]).toEqual([403, ['sites.read']]);
  });

  const forUsers = operations.filter(({ access, forPeers }) => access === 'signed-in' && !forPeers);
  it.each(forUsers)('cannot use $id, which is for users', async (operation) => {
    const { token } = await addGuest(['sites.read']);
    const answer = await portal.send(`${operation.method} ${pathOf(operation)}`, { token, body: undefined });
    expect(outcome(answer)).toEqual([403, 'forbidden']);
  });

  it('may use the operations of any session that return no user, and log out', async () => {
    const open = operations.filter(({ access, forPeers }) => access === 'signed-in' && forPeers);
    expect(open.map(({ id }) => id).sort()).toEqual([
      'change.stream',
      'login.end',
      'module.list',
      'portal.self',
      'settings.get',
    ]);
    const { ask, peer } = await addGuest(['sites.read']);
    const { sites } = (await ask('GET /api/discover/')).body;
    expect(sites.map(({ uri }: Json) => uri)).toContain(world.site.uri);
    expect((await ask('GET /api/auth/v7.0/settings')).status).toBe(200);
    const { events } = await audited(portal, () => ask('POST /api/auth/v7.0/logout'));
    expect(events).toMatchObject([{ event: 'portal.UserLogout', user_id: peer.id }]);
    expect(outcome(await ask('POST /api/auth/v7.0/logout'))).toEqual([401, 'invalid_token']);
  });

  it('has idempotency keys of its own, which are deleted with the peer', async () => {
    const guest = await addGuest(['sites.create']);
    const member = await addMember(world, ['sites.create']);
    const key = { 'idempotency-key': unique('key') };
    const body = siteBody();
    const [first, again] = [
      await guest.ask(`POST ${base}/sites`, body, key),
      await guest.ask(`POST ${base}/sites`, body, key),
    ];
    expect([first.status, again.status, again.body]).toEqual([201, 201, first.body]);
    const other = await guest.ask(`POST ${base}/sites`, siteBody(), key);
    expect(outcome(other)).toEqual([422, 'idempotency_mismatch']);
    // The same key of another caller is independent.
    expect((await member.ask(`POST ${base}/sites`, siteBody(), key)).status).toBe(201);
    const kept = () => portal.db.select({ peer: idempotencyKeys.peer_id }).from(idempotencyKeys);
    expect(await kept()).toContainEqual({ peer: guest.peer.id });
    await world.admin(`DELETE /api/aggregator/v7.0/peers/${guest.peer.id}`);
    expect(await kept()).not.toContainEqual({ peer: guest.peer.id });
  });

  it('is read in one database round trip, like any other', async () => {
    const { ask } = await addGuest(['sites.read']);
    await portal.settled();
    const before = portal.trips();
    expect((await ask(`GET ${base}/sites`)).status).toBe(200);
    expect(portal.trips() - before).toBe(2);
  });

  it('has the portal of its roles, or none', async () => {
    const [staff, plain] = [await addGuest(['sites.read']), await addPeer(world.admin)];
    const { database } = portal;
    const token = (await exchange(portal, plain)).body.token;
    const admins = await startPortal({ portalType: 'admin', database });
    expect(outcome(await exchange(admins, plain))).toEqual([403, 'forbidden']);
    expect(outcome(await admins.send('GET /api/discover/', { token }))).toEqual([401, 'invalid_token']);
    expect(outcome(await admins.send(`GET ${base}/sites`, { token: staff.token }))).toEqual([200]);
    await admins.close();
  });
});

// Moves the clock, which expires all other sessions.
it('the session of a peer ends by idleness and by age, and a new token can be obtained', async () => {
  const { token, peer, signer } = await addGuest(['sites.read']);
  const status = async (one: string) => {
    const answer = await portal.send('GET /api/discover/', { token: one });
    await portal.settled();
    return answer.status;
  };
  for (let used = 0; used < 14_000; used += 1_750) {
    expect(await status(token)).toBe(200);
    portal.advance(1_750);
  }
  portal.advance(450);
  expect(await status(token)).toBe(401);
  const next = (await exchange(portal, { peer, signer })).body.token;
  portal.advance(1_801);
  expect(await status(next)).toBe(401);
});

it('the session of a peer that ended by idleness stays ended when the parameter is raised', async () => {
  const tune = async (value: number) => {
    const { status } = await world.admin(`PUT ${base}/tconfig`, { session: { idle_s: { value } } });
    expect(status).toBe(200);
  };
  const status = async (token: string) => (await portal.send('GET /api/discover/', { token })).status;
  world.admin = asker(portal, await portal.login());
  await tune(600);
  const { token } = await addGuest(['sites.read']);
  const used = await addGuest(['sites.read']);
  portal.advance(300);
  expect(await status(used.token)).toBe(200);
  await portal.settled();
  await tune(7_200);
  portal.advance(400);
  expect([await status(token), await status(used.token)]).toEqual([401, 200]);
});
