import { eq } from 'drizzle-orm';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loginSessions } from '../../../../db/schema/identity/login-sessions.ts';
import {
  addDomain,
  addMember,
  adminOf,
  asker,
  audited,
  base,
  goodPassword,
  logIn,
  type Member,
  usersPath,
  useWorld,
} from '../../../support/factories.ts';
import type { Json, TestPortal } from '../../../support/portal.ts';

const world = useWorld();
let portal: TestPortal;
let member: Member;
const admin = adminOf(world);

beforeAll(async () => {
  portal = world.portal;
});
beforeEach(async () => {
  // Moving the clock expires sessions.
  world.admin = asker(portal, await portal.login());
  member = await addMember(world, ['sites.read']);
});

const own = '/api/userinfo/sessions';
const ofMember = (domain: Json = world.domain) => `${usersPath(domain)}/${member.user.id}/sessions`;
const again = async (given: Record<string, unknown> = {}, ip?: string) =>
  asker(portal, (await logIn(portal, world.domain, member.user, given, ip)).body.token);
const statusOf = async (ask = member.ask) => (await ask('GET /api/userinfo')).status;
const rows = () => portal.db.select().from(loginSessions).where(eq(loginSessions.user_id, member.user.id));

describe('the sessions of a user', () => {
  it('are listed with their origin and their expiry', async () => {
    await again({ platform: 'Windows 11' }, '203.0.113.9');
    const { status, body } = await admin(`GET ${ofMember()}`);
    expect([status, body.items.length, body.next]).toEqual([200, 2, null]);
    const [newest] = body.items;
    expect(newest).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      portal: 'admin',
      source_ip: '203.0.113.9',
      user_agent: '',
      platform: 'Windows 11',
      created_at: newest.created_at,
      last_seen_at: newest.created_at,
      expires_at: new Date(Date.parse(newest.created_at) + 14_400_000).toISOString(),
    });
    expect(JSON.stringify(body)).not.toContain((await rows())[0]?.token_hash);
  });

  it('support paging and filters like any other list', async () => {
    for (const ip of ['203.0.113.1', '203.0.113.2', '203.0.113.3']) {
      portal.advance(1);
      await again({}, ip);
    }
    const list = async (query: string) => (await admin(`GET ${ofMember()}?${query}`)).body;
    const ips = ({ items }: Json) => items.map(({ source_ip }: Json) => source_ip);
    const first = await list('limit=2&count=exact');
    expect([ips(first), first.total]).toEqual([['203.0.113.3', '203.0.113.2'], 4]);
    expect(ips(await list(`limit=2&count=exact&cursor=${first.next}`))).toEqual(['203.0.113.1', '127.0.0.1']);
    expect(ips(await list('search=113.2'))).toEqual(['203.0.113.2']);
    expect(ips(await list('sort=created_at&limit=2'))).toEqual(['127.0.0.1', '203.0.113.1']);
  });

  it('exclude idle and expired ones', async () => {
    const count = async () => (await admin(`GET ${ofMember()}`)).body.items.length;
    portal.advance(1_700);
    world.admin = asker(portal, await portal.login());
    await again();
    expect(await count()).toBe(2);
    portal.advance(101);
    expect([await statusOf(), await count(), (await rows()).length]).toEqual([401, 1, 2]);
    for (const row of await rows())
      await portal.db
        .update(loginSessions)
        .set({ created_at: new Date(row.created_at.getTime() - 14_400_000) })
        .where(eq(loginSessions.id, row.id));
    expect(await count()).toBe(0);
  });

  it('are ended all at once by an administrator, in one event', async () => {
    const other = await again();
    const stranger = await addMember(world, []);
    const { result, events } = await audited(portal, () => admin(`DELETE ${ofMember()}`));
    expect([result.status, result.body]).toEqual([204, '']);
    expect([await statusOf(), await statusOf(other), await statusOf(stranger.ask)]).toEqual([401, 401, 200]);
    expect(events).toMatchObject([
      {
        event: 'portal.EntityAction',
        action: 'end_sessions',
        object_type: 'user',
        object_id: member.user.id,
      },
    ]);
    expect((await admin(`DELETE ${ofMember()}`)).status).toBe(204);
    expect(await statusOf(await again())).toBe(200);
  });

  it('are ended only by a caller with all permissions of the user', async () => {
    const { ask } = await addMember(world, ['users.read', 'users.update']);
    const { result, events } = await audited(portal, () => ask(`DELETE ${ofMember()}`));
    expect([result.status, result.body.missing]).toEqual([403, ['sites.read']]);
    expect(events).toMatchObject([{ event: 'portal.AccessRefused' }]);
    expect((await ask(`GET ${ofMember()}`)).status).toBe(200);
    expect(await statusOf()).toBe(200);
  });

  it('belong to a user of that domain', async () => {
    const elsewhere = await addDomain(admin);
    expect((await admin(`GET ${ofMember(elsewhere)}`)).status).toBe(404);
    expect((await admin(`DELETE ${ofMember(elsewhere)}`)).status).toBe(404);
    expect(await statusOf()).toBe(200);
  });

  it('are read in one database round trip and ended in two', async () => {
    for (const [route, trips] of [
      [`GET ${ofMember()}`, 1],
      [`DELETE ${ofMember()}`, 2],
    ] as const) {
      await portal.settled();
      const before = portal.trips();
      await admin(route);
      expect([route, portal.trips() - before]).toEqual([route, trips]);
    }
  });
});

describe('the own sessions of a user', () => {
  it('mark the session of the request', async () => {
    const other = await again();
    const mine = (await member.ask(`GET ${own}`)).body.items;
    expect(mine.map(({ current }: Json) => current)).toEqual([false, true]);
    const theirs = (await other(`GET ${own}`)).body.items;
    expect(theirs.map(({ current }: Json) => current)).toEqual([true, false]);
    expect(mine.map(({ id }: Json) => id)).toEqual(theirs.map(({ id }: Json) => id));
  });

  it('are ended one by one, the current one included', async () => {
    const other = await again();
    const [theirs, mine] = (await member.ask(`GET ${own}`)).body.items;
    const { result, events } = await audited(portal, () => member.ask(`DELETE ${own}/${theirs.id}`));
    expect([result.status, result.body]).toEqual([204, '']);
    expect(events).toMatchObject([{ action: 'end_session', object_type: 'session', object_id: theirs.id }]);
    expect([await statusOf(other), await statusOf()]).toEqual([401, 200]);
    expect((await member.ask(`DELETE ${own}/${theirs.id}`)).status).toBe(404);
    expect((await member.ask(`DELETE ${own}/${mine.id}`)).status).toBe(204);
    expect(await statusOf()).toBe(401);
  });

  it('are separate: those of others and ended ones are 404', async () => {
    const stranger = await addMember(world, []);
    const [theirs] = (await stranger.ask(`GET ${own}`)).body.items;
    const { result, events } = await audited(portal, () => member.ask(`DELETE ${own}/${theirs.id}`));
    expect([result.status, events]).toEqual([404, []]);
    expect(await statusOf(stranger.ask)).toBe(200);
    const [mine] = (await member.ask(`GET ${own}`)).body.items;
    portal.advance(1_801);
    const later = await again();
    expect((await later(`DELETE ${own}/${mine.id}`)).status).toBe(404);
    expect((await later(`GET ${own}`)).body.items).toHaveLength(1);
  });

  it('are ended all at once, except that of the request and those of other users', async () => {
    const [first, second, stranger] = [await again(), await again(), await addMember(world, [])];
    const { result, events } = await audited(portal, () => member.ask(`DELETE ${own}`));
    expect([result.status, result.body]).toEqual([204, '']);
    expect(events).toMatchObject([
      {
        ...{ event: 'portal.EntityAction', action: 'end_sessions' },
        ...{ object_type: 'user', object_id: member.user.id, user_id: member.user.id },
      },
    ]);
    expect([await statusOf(first), await statusOf(second)]).toEqual([401, 401]);
    expect([await statusOf(), await statusOf(stranger.ask)]).toEqual([200, 200]);
    expect((await member.ask(`GET ${own}`)).body.items).toMatchObject([{ current: true }]);
    expect((await member.ask(`DELETE ${own}`)).status).toBe(204);
  });

  it('are not ended by a service token', async () => {
    const body = {
      ...{ name: 'report', permissions: [], proof: { password: goodPassword } },
      expires_at: new Date(portal.deps.clock().getTime() + 3_600_000).toISOString(),
    };
    await world.admin(`PUT ${base}/tconfig`, { service_tokens: { own: { value: true } } });
    const { token } = (await member.ask('POST /api/userinfo/service_tokens', body)).body;
    const answer = await portal.send(`DELETE ${own}`, { token });
    expect([answer.status, answer.body.code, await statusOf()]).toEqual([409, 'invalid_state', 200]);
  });

  it('are available before a mandatory password change', async () => {
    const bound = await addMember(world, [], '*', { must_change_password: true });
    expect((await bound.ask(`GET ${own}`)).status).toBe(200);
    expect((await bound.ask(`DELETE ${own}`)).status).toBe(204);
  });
});
