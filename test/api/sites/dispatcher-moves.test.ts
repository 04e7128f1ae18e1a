import { eq, sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Db, withTransaction } from '../../../db/client.ts';
import { dropSessionsOf, upsertNodeKey } from '../../../db/repositories/routing/dispatcher-sessions.ts';
import { dispatcherSessions } from '../../../db/schema/routing/dispatcher-sessions.ts';
import { dispatchers } from '../../../db/schema/sites/dispatchers.ts';
import { type FreezableProxy, startFreezableProxy } from '../../support/database/freezable-proxy.ts';
import {
  addFarm,
  addMember,
  addNode,
  addSite,
  base,
  dispatcherState,
  pool,
  type SimulatedNode,
  unique,
  useWorld,
} from '../../support/factories.ts';
import type { Json } from '../../support/portal.ts';

const world = useWorld();
let site: Json;
/** The node as first registered, through a proxy that can hold its responses, and the one with the new address. */
let former: SimulatedNode;
let proxy: FreezableProxy;
let next: SimulatedNode;

beforeEach(async () => {
  site = await addSite(world.admin, { authenticators: [world.domain.id] });
  const farm = await addFarm(world.admin, site);
  const state = dispatcherState(world, { pools: [pool('Office')] });
  const name = unique('node');
  former = await addNode(world, farm, { name, state, dispatcher: { timeout_ms: 20_000 } });
  proxy = await startFreezableProxy(former.simulator.url);
  // Only its address matters: a node in a disabled farm is never called.
  const parked = await addFarm(world.admin, site, { enabled: false });
  next = await addNode(world, parked, { name, state, dispatcher: { name: unique('parked') } });
  await change({ url: proxy.url });
});

const change = async (body: object) => {
  const { status } = await world.admin(`PATCH ${base}/dispatchers/${former.dispatcher.id}`, body);
  expect(status).toBe(200);
};
const move = () => change({ url: next.simulator.url, ca_certificate: next.simulator.caPem });

const keysKept = () =>
  world.portal.db
    .select()
    .from(dispatcherSessions)
    .where(eq(dispatcherSessions.dispatcher_id, former.dispatcher.id));

/** Whether a statement waits for a lock of another one. */
async function isWaiting(db: Db): Promise<boolean> {
  const [row] = await db
    .select({ n: sql<number>`count(*)::int` })
    .from(sql`pg_locks`)
    .where(sql`not granted`);
  return (row?.n ?? 0) > 0;
}

async function kept() {
  const [node] = await world.portal.db
    .select({ domains: dispatchers.domains, at: dispatchers.domains_at })
    .from(dispatchers)
    .where(eq(dispatchers.id, former.dispatcher.id));
  return { domains: node?.domains, keys: (await keysKept()).length };
}

/** Runs the request, changes the address while the response is held, and releases the response. */
async function whileMoving<T>(request: () => Promise<T>): Promise<T> {
  proxy.freeze();
  const answer = request();
  await proxy.held();
  await move();
  proxy.thaw();
  const result = await answer;
  await world.portal.settled();
  return result;
}

const keysShown = () =>
  next.simulator.calls.flatMap(({ headers }) => headers['x-auth-token'] ?? []) as string[];

afterEach(async () => {
  await Promise.all([former.simulator.close(), next.simulator.close(), proxy.close()]);
});

describe('a node whose address changes during a call', () => {
  it('does not keep the session key that jwtauth obtained at the former address', async () => {
    const jwtauth = () => world.admin('POST /api/auth/v7.0/jwtauth', { dispatcher_id: former.dispatcher.id });
    expect((await whileMoving(jwtauth)).status).toBe(200);
    expect(former.simulator.calls).toHaveLength(1);
    expect((await kept()).keys).toBe(0);
    expect((await jwtauth()).status).toBe(200);
    await world.portal.settled();
    expect((await kept()).keys).toBe(1);
  });

  it('gets neither session keys nor domains from a services list of the former address', async () => {
    const { ask } = await addMember(world, []);
    const list = () => ask(`GET /aggregator/api/client/v7.0/${site.uri}/servicesList/`);
    expect((await whileMoving(list)).status).toBe(200);
    expect(former.simulator.calls.map(({ path }) => path)).toContain('/api/auth/v7.0/authenticators');
    expect(await kept()).toEqual({ domains: null, keys: 0 });
    expect((await list()).body.services).toHaveLength(1);
    await world.portal.settled();
    const first = next.simulator.calls[0];
    expect([first?.method, first?.path]).toEqual(['POST', '/api/auth/v7.0/jwtauth']);
    const old = former.simulator.calls.flatMap(({ headers }) => headers['x-auth-token'] ?? []);
    expect(keysShown().filter((key) => old.includes(key))).toEqual([]);
    expect(await kept()).toMatchObject({ domains: [{ authSmallName: world.domain.small_name }], keys: 2 });
  });

  it('does not keep the key while the change is uncommitted in the database', async () => {
    const { db } = world.portal;
    const { body } = await world.admin(`GET ${base}/dispatchers/${former.dispatcher.id}`);
    const { id, kind, name, url, ca_certificate: caCertificate } = body;
    const node = { id, kind, name, url, caCertificate, verifyTls: true };
    const sealed = { userId: null, subject: 'aggregator', sealedKey: 'x', expiresAt: new Date() };
    await upsertNodeKey(db, { node, ...sealed });
    expect(await keysKept()).toHaveLength(1);
    const keeping = await withTransaction(db, async (moving) => {
      await moving.update(dispatchers).set({ url: next.simulator.url }).where(eq(dispatchers.id, id));
      for (const statement of dropSessionsOf(moving, id)) await statement;
      const started = { work: Promise.resolve(upsertNodeKey(db, { node, ...sealed })), isDone: false };
      void started.work.then(() => {
        started.isDone = true;
      });
      while (!started.isDone && !(await isWaiting(db)));
      return started;
    });
    await keeping.work;
    expect(await keysKept()).toEqual([]);
  });

  it('keeps the key when the address did not change', async () => {
    proxy.freeze();
    const { ask } = await addMember(world, []);
    const answer = ask(`GET /aggregator/api/client/v7.0/${site.uri}/servicesList/`);
    await proxy.held();
    await change({ priority: 7 });
    proxy.thaw();
    await answer;
    await world.portal.settled();
    expect(await kept()).toMatchObject({ domains: [{ authSmallName: world.domain.small_name }], keys: 2 });
  });
});
