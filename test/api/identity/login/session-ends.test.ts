import { eq, sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import type { Db } from '../../../../db/client.ts';
import {
  revokeAccessOfDomain,
  revokeAccessOfUser,
} from '../../../../db/repositories/identity/access-revocation.ts';
import { gateways } from '../../../../db/schema/gateways/gateways.ts';
import { gatewayTickets } from '../../../../db/schema/gateways/tickets.ts';
import { authenticators } from '../../../../db/schema/identity/authenticators.ts';
import { loginChallenges } from '../../../../db/schema/identity/login-challenges.ts';
import { loginSessions } from '../../../../db/schema/identity/login-sessions.ts';
import { pageTokens } from '../../../../db/schema/identity/page-tokens.ts';
import { serviceTokens } from '../../../../db/schema/identity/service-tokens.ts';
import { users } from '../../../../db/schema/identity/users.ts';
import { systemParameters } from '../../../../db/schema/settings/system-parameters.ts';
import { sha256 } from '../../../../shared/kernel/crypto/digests.ts';
import { newId } from '../../../../shared/kernel/ids.ts';
import {
  addDomain,
  addGateway,
  addMember,
  addRole,
  addUser,
  asker,
  base,
  domainsPath,
  logIn,
  type Member,
  startWorld,
  usersPath,
  useWorld,
} from '../../../support/factories.ts';
import { addPeer, exchange } from '../../../support/identity/peers.ts';
import type { Json } from '../../../support/portal.ts';

const world = useWorld();

const statusOf = async ({ ask }: Pick<Member, 'ask'>) => (await ask('GET /api/userinfo')).status;

describe('disabling', () => {
  /** One row of every kind that gives a user access, including used tickets. */
  async function accessOf(user: Json) {
    const { db } = world.portal;
    const later = new Date(world.portal.deps.clock().getTime() + 600_000);
    const gateway = await addGateway(world.admin);
    const [session] = await db.select().from(loginSessions).where(eq(loginSessions.user_id, user.id));
    const ticket = {
      gateway_id: gateway.id,
      user_id: user.id,
      farm_id: world.farm.id,
      host: 'h',
      port: 1,
      tunnels_left: 1,
      expires_at: later,
    };
    const used = newId();
    await db.insert(gatewayTickets).values([
      { ...ticket, id: newId(), ticket_hash: newId() },
      { ...ticket, id: used, ticket_hash: newId(), used_at: new Date() },
    ]);
    await db
      .insert(pageTokens)
      .values({ id: newId(), token_hash: sha256(newId()), session_id: session?.id ?? '', expires_at: later });
    await db
      .insert(loginChallenges)
      .values({ id: newId(), user_id: user.id, network: '127.0.0.1', expires_at: later });
    await db.insert(serviceTokens).values({
      id: newId(),
      user_id: user.id,
      name: 'script',
      name_key: 'script',
      token_hash: newId(),
      created_at: new Date(),
      expires_at: later,
    });
    return async () => ({
      sessions: (await db.select().from(loginSessions).where(eq(loginSessions.user_id, user.id))).length,
      pages: (
        await db
          .select()
          .from(pageTokens)
          .where(eq(pageTokens.session_id, session?.id ?? ''))
      ).length,
      tokens: (await db.select().from(serviceTokens).where(eq(serviceTokens.user_id, user.id))).length,
      codes: (await db.select().from(loginChallenges).where(eq(loginChallenges.user_id, user.id))).length,
      tickets: (await db.select().from(gatewayTickets).where(eq(gatewayTickets.user_id, user.id))).map(
        ({ id }) => (id === used ? 'used' : 'unused'),
      ),
      gateways: (await db.select().from(gateways).where(eq(gateways.id, gateway.id))).length,
    });
  }
  const ended = { sessions: 0, pages: 0, tokens: 0, codes: 0, tickets: ['used'], gateways: 1 };

  it.each(['user', 'domain'] as const)('a %s ends all access at once and for good', async (what) => {
    const domain = await addDomain(world.admin);
    const one = await addMember({ ...world, domain }, ['sites.read']);
    const other = await addMember(world, ['sites.read']);
    const left = await accessOf(one.user);
    expect(await left()).toMatchObject({ sessions: 1, pages: 1, tokens: 1, codes: 1 });
    expect(await statusOf(one)).toBe(200);
    const [path, off, on] =
      what === 'user'
        ? [`${usersPath(domain)}/${one.user.id}`, 'inactive', 'active']
        : [`${domainsPath}/${domain.id}`, 'disabled', 'visible'];
    expect((await world.admin(`PATCH ${path}`, { state: off })).status).toBe(200);
    expect(await left()).toEqual(ended);
    expect(await statusOf(one)).toBe(401);
    expect((await world.admin(`PATCH ${path}`, { state: on })).status).toBe(200);
    expect(await statusOf(one)).toBe(401);
    expect(await statusOf(other)).toBe(200);
  });

  it('does not end the access of a user whose other properties change', async () => {
    const domain = await addDomain(world.admin);
    const one = await addMember({ ...world, domain }, ['sites.read']);
    await world.admin(`PATCH ${usersPath(domain)}/${one.user.id}`, { comments: 'noted' });
    await world.admin(`PATCH ${domainsPath}/${domain.id}`, { state: 'hidden' });
    await addUser(world.admin, domain, { state: 'inactive' });
    expect(await statusOf(one)).toBe(200);
  });
});

describe('a login in progress', () => {
  /** Whether a statement waits for a lock of this transaction. */
  const isWaitedFor = async (tx: Db) => {
    const [waiting] = await tx
      .select({ n: sql<number>`count(*)::int` })
      .from(sql`pg_locks`)
      .where(sql`not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`);
    return (waiting?.n ?? 0) > 0;
  };

  it.each([
    'user',
    'domain',
  ] as const)('is refused when its %s is disabled and enabled again', async (what) => {
    const domain = await addDomain(world.admin);
    const user = await addUser(world.admin, domain);
    const [table, id] = what === 'user' ? [users, user.id] : [authenticators, domain.id];
    const [off, on] = what === 'user' ? ['inactive', 'active'] : ['disabled', 'visible'];
    const login = await world.portal.ownerDb.transaction(async (tx) => {
      const become = (state: string) =>
        tx.execute(sql`update ${table} set state = ${state} where id = ${id}`);
      await become(off);
      for (const statement of what === 'user' ? revokeAccessOfUser(tx, id) : revokeAccessOfDomain(tx, id))
        await statement;
      await become(on);
      const answer = logIn(world.portal, domain, user);
      await expect.poll(() => isWaitedFor(tx), { timeout: 10_000 }).toBe(true);
      return { answer };
    });
    expect((await login.answer).status).toBe(401);
    expect((await logIn(world.portal, domain, user)).status).toBe(200);
  });
});

describe('the idle timeout of a session', () => {
  const tune = (value: number) => world.admin(`PUT ${base}/tconfig`, { session: { idle_s: { value } } });
  const reset = () =>
    world.portal.db.delete(systemParameters).where(eq(systemParameters.name, 'session.idle_s'));

  it('stays when the parameter is raised', async () => {
    expect((await tune(600)).status).toBe(200);
    const one = await addMember(world, ['sites.read']);
    await reset();
    expect(await statusOf(one)).toBe(200);
    world.portal.advance(601);
    expect(await statusOf(one)).toBe(401);
    world.portal.advance(-601);
  });

  it('comes earlier when the parameter is lowered, and later with each use', async () => {
    const one = await addMember(world, ['sites.read']);
    world.portal.advance(300);
    expect(await statusOf(one)).toBe(200);
    await world.portal.settled();
    world.portal.advance(1_600);
    expect(await statusOf(one)).toBe(200);
    await world.portal.settled();
    world.portal.advance(200);
    const updated_at = new Date();
    await world.portal.db.insert(systemParameters).values({ name: 'session.idle_s', value: 150, updated_at });
    expect(await statusOf(one)).toBe(401);
    await reset();
    world.portal.advance(-2_100);
  });

  it('is at least 120 s, whatever value is stored', async () => {
    expect((await tune(119)).status).toBe(422);
    const updated_at = new Date();
    await world.portal.db.insert(systemParameters).values({ name: 'session.idle_s', value: 30, updated_at });
    const one = await addMember(world, ['sites.read']);
    world.portal.advance(110);
    expect(await statusOf(one)).toBe(200);
    await world.portal.settled();
    world.portal.advance(121);
    expect(await statusOf(one)).toBe(401);
    await reset();
    world.portal.advance(-231);
  });
});

describe('a session that has ended', () => {
  it.each([
    ['idle_s', 120, 3_600],
    ['admin_absolute_s', 900, 86_400],
  ])('stays ended when session.%s was lowered and is raised again', async (name, low, high) => {
    const own = await startWorld();
    const set = async (value: number) => {
      const { ask } = await addMember({ ...own, admin: asker(own.portal, await own.portal.login()) }, [
        'system_parameters.update',
      ]);
      expect((await ask(`PUT ${base}/tconfig`, { session: { [name]: { value } } })).status).toBe(200);
    };
    const user = await addMember(own, ['sites.read']);
    const guest = await addPeer(own.admin, [(await addRole(own.admin, ['sites.read'])).id]);
    const peer = asker(own.portal, (await exchange(own.portal, guest)).body.token);
    const statuses = async () => [
      (await user.ask(`GET ${base}/sites`)).status,
      (await peer(`GET ${base}/sites`)).status,
    ];
    expect(await statuses()).toEqual([200, 200]);
    await set(low);
    own.portal.advance(low + 1);
    expect(await statuses()).toEqual([401, 401]);
    await set(high);
    expect(await statuses()).toEqual([401, 401]);
    await own.portal.close();
  });
});
