import { once } from 'node:events';
import { count, eq, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { WebSocket } from 'ws';
import { atomically, type Connection, type Db, withTransaction } from '../../../../db/client.ts';
import { databaseProblem, pgFault, raisedByMust } from '../../../../db/errors.ts';
import { connectNeon } from '../../../../db/neon.ts';
import { appendAudit } from '../../../../db/repositories/audit/events.ts';
import { clearFailures, findLock, recordFailure } from '../../../../db/repositories/identity/login/logins.ts';
import { must } from '../../../../db/repositories/records/statements.ts';
import { sites as siteRecords } from '../../../../db/repositories/sites/sites.ts';
import { auditEvents } from '../../../../db/schema/audit/events.ts';
import { guards } from '../../../../db/schema/guards.ts';
import { roles } from '../../../../db/schema/identity/roles.ts';
import { sites } from '../../../../db/schema/sites/sites.ts';
import { newId } from '../../../../shared/kernel/ids.ts';
import { type FreshDatabase, freshDatabase } from '../../../support/database/database.ts';
import { startFreezableProxy } from '../../../support/database/freezable-proxy.ts';
import { connectBy, type Driver, startNeonProxy } from '../../../support/database/neon-proxy.ts';
import {
  addMember,
  adminOf,
  audited,
  base,
  siteBody,
  unique,
  usersPath,
  useWorld,
} from '../../../support/factories.ts';
import { type Json, startPortal } from '../../../support/portal.ts';
import { requireService } from '../../../support/services.ts';

const drivers: readonly Driver[] = ['pg', 'neon'];
const isPostgres = inject('embeddedTemplate') === null;

let database: FreshDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.drop());

const written = { event: 'test.Written', category: 'config', level: 'info', result: 'success' } as const;
const event = (object_name: string) => ({ ...written, id: newId(), at: new Date(), object_name });
const eventsOf = (db: Db, name: string) => db.$count(auditEvents, eq(auditEvents.object_name, name));
const siteRow = (name = unique('site')) => ({ id: newId(), name, name_key: name, uri: name });
const everywhere = { scope: '*' } as const;
const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => expect.fail('it succeeded'),
    (error: unknown) => error,
  );

describe.each(drivers)('the database by %s', (driver) => {
  let connection: Connection;
  let db: Db;
  let trips = 0;
  beforeAll(async () => {
    connection = await connectBy(driver, { url: database.url, onRoundTrip: () => trips++ });
    db = connection.db;
  });
  afterAll(() => connection.close());
  const tripsOf = (work: () => PromiseLike<unknown>): Promise<number> => {
    const before = trips;
    return Promise.resolve(work()).then(() => trips - before);
  };

  it('atomically commits everything, and returns one result per statement in order', async () => {
    const site = siteRow();
    const results = await atomically(db, (h) => [
      h.insert(sites).values(site).returning({ id: sites.id }),
      h.update(sites).set({ comments: 'warm' }).where(eq(sites.id, site.id)),
      h.select({ comments: sites.comments }).from(sites).where(eq(sites.id, site.id)),
      appendAudit(h, event(site.name)),
    ]);
    expect(results).toHaveLength(4);
    expect([results[0], results[2]]).toEqual([[{ id: site.id }], [{ comments: 'warm' }]]);
    expect(await eventsOf(db, site.name)).toBe(1);
    expect(await atomically(db, () => [])).toEqual([]);
  });

  it('atomically rolls back when a condition does not hold, and returns which', async () => {
    const site = siteRow();
    const error = await failureOf(
      atomically(db, (h) => [
        h.insert(sites).values(site),
        appendAudit(h, event(site.name)),
        must(h, sql`1 = 2`, 'invalid_state:because'),
      ]),
    );
    expect(raisedByMust(error)).toEqual({ code: 'invalid_state', reason: 'because' });
    expect(databaseProblem(error)).toMatchObject({ code: 'invalid_state', members: { reason: 'because' } });
    expect(await eventsOf(db, site.name)).toBe(0);
    expect(await db.$count(sites, eq(sites.id, site.id))).toBe(0);
  });

  it('atomically rolls back on a unique violation, in a batch as in a single statement', async () => {
    const [first, second] = [siteRow(), siteRow()];
    await db.insert(sites).values(first);
    const twin = { ...second, uri: first.uri };
    const inBatch = await failureOf(
      atomically(db, (h) => [appendAudit(h, event(second.name)), h.insert(sites).values(twin)]),
    );
    const alone = await failureOf(db.insert(sites).values(twin).execute());
    expect(pgFault(inBatch)).toMatchObject({ code: '23505', constraint: 'sites_uri' });
    expect(pgFault(inBatch)?.message).toContain('duplicate key value');
    expect(pgFault(alone)).toEqual(pgFault(inBatch));
    expect([databaseProblem(inBatch), databaseProblem(alone)]).toEqual([undefined, undefined]);
    expect(await eventsOf(db, second.name)).toBe(0);
  });

  it('counts a statement and a batch as one round trip each', async () => {
    const read = (h: Db) => h.select().from(guards);
    expect(await tripsOf(() => read(db))).toBe(1);
    expect(await tripsOf(() => atomically(db, (h) => [read(h), read(h), read(h)]))).toBe(1);
    expect(await tripsOf(() => failureOf(db.execute(sql`select 1 / 0`).execute()))).toBe(1);
  });

  it('counts each statement of an interactive transaction on pg, the first with its beginning, and the transaction as one on Neon', async () => {
    const read = (h: Db) => h.select().from(guards);
    const twice = (h: Db) => read(h).then(() => read(h));
    expect(await tripsOf(() => withTransaction(db, twice))).toBe(driver === 'pg' ? 3 : 1);
  });

  it('withTransaction runs dependent statements, and commits', async () => {
    const site = siteRow();
    const result = await withTransaction(db, async (h) => {
      await h.insert(sites).values(site);
      const [row] = await h.select({ name: sites.name }).from(sites).where(eq(sites.id, site.id));
      await h.insert(auditEvents).values(event(row?.name ?? ''));
      return row;
    });
    expect(result).toEqual({ name: site.name });
    expect(await eventsOf(db, site.name)).toBe(1);
  });

  it('withTransaction rolls back when the callback throws, and rethrows its error', async () => {
    const site = siteRow();
    const refusal = new Error('enough');
    const work = withTransaction(db, async (h) => {
      await h.insert(sites).values(site);
      throw refusal;
    });
    expect(await failureOf(work)).toBe(refusal);
    const twice = withTransaction(db, (h) => h.insert(sites).values([site, site]));
    expect(pgFault(await failureOf(twice))).toMatchObject({ code: '23505' });
    expect(await db.$count(sites, eq(sites.id, site.id))).toBe(0);
  });

  // The embedded database has one session at a time.
  requireService('postgresql', isPostgres)('withTransaction under concurrency', () => {
    it('is serializable on request: of two that read what the other writes, one is refused', async () => {
      const prefix = unique('skew');
      const both = Promise.withResolvers<void>();
      let arrived = 0;
      const countThenAdd = async (h: Db) => {
        await h.select({ n: count() }).from(sites).where(eq(sites.comments, prefix));
        if (++arrived === 2) both.resolve();
        await both.promise;
        await h.insert(sites).values({ ...siteRow(), comments: prefix });
      };
      const run = () => withTransaction(db, countThenAdd, { isolationLevel: 'serializable' });
      const results = await Promise.allSettled([run(), run()]);
      const refused = results.filter((result) => result.status === 'rejected');
      expect(refused.map(({ reason }) => pgFault(reason)?.code)).toEqual(['40001']);
      expect(await db.$count(sites, eq(sites.comments, prefix))).toBe(1);
    });

    it('reports a connection that ends during a statement as an unavailable database', async () => {
      const error = await failureOf(
        withTransaction(db, async (h) => {
          const [own] = await h.select({ pid: sql`pg_backend_pid()` }).from(guards);
          await db.execute(sql`select pg_terminate_backend(${own?.pid}, 5000)`);
          await h.select().from(guards);
        }),
      );
      expect(databaseProblem(error)?.code).toBe('database_unavailable');
      expect(await db.$count(guards)).toBeGreaterThan(0);
    });
  });

  it('allows one of two replacements of one revision, and writes one event', async () => {
    const site = siteRow();
    await db.insert(sites).values(site);
    const also = { after: (h: Db) => [appendAudit(h, event(site.name))] };
    const replace = (comments: string) => {
      const values = { columns: { comments }, links: {} };
      return siteRecords.replace(db, { id: site.id, revision: 1 }, values, everywhere, also);
    };
    const results = await Promise.allSettled([replace('one'), replace('two')]);
    const [lost] = results.filter((result) => result.status === 'rejected');
    const [won] = results.filter((result) => result.status === 'fulfilled');
    expect(databaseProblem(lost?.reason)?.code).toBe('precondition_failed');
    expect(await siteRecords.find(db, site.id, everywhere)).toEqual(won?.value);
    expect([won?.value.revision, await eventsOf(db, site.name)]).toEqual([2, 1]);
  });

  it('locks an account after failures and refuses a valid login meanwhile', async () => {
    const attempt = { account: unique('account'), network: '10.0.0.0/24' };
    const now = new Date();
    const fail = () => atomically(db, (h) => [recordFailure(h, attempt, now, { maxTries: 2, blockS: 60 })]);
    await atomically(db, (h) => clearFailures(h, attempt, now));
    expect(await fail()).toEqual([[{ lockedUntil: null }]]);
    const until = new Date(now.getTime() + 60_000);
    expect(await fail()).toEqual([[{ lockedUntil: until }]]);
    expect(await fail()).toEqual([[]]);
    expect((await findLock(db, attempt, now)).lockedUntil).toEqual(until);
    const good = await failureOf(atomically(db, (h) => clearFailures(h, attempt, now)));
    expect(databaseProblem(good)?.code).toBe('locked_out');
  });
});

type RecordLike = PgTable & { id: PgColumn };

describe('database values', () => {
  let both: Connection[];
  beforeAll(async () => {
    both = await Promise.all(drivers.map((driver) => connectBy(driver, { url: database.url })));
  });
  afterAll(() => Promise.all(both.map(({ close }) => close())));

  /** Values that each driver reads by a single statement, by a batch and in a transaction. */
  const readings = async (read: (h: Db) => PromiseLike<unknown>): Promise<unknown[]> => {
    const ways = both.flatMap(({ db }) => [
      () => read(db),
      () => atomically(db, (h) => [read(h) as never]).then(([only]) => only),
      () => withTransaction(db, async (h) => read(h)),
    ]);
    const results: unknown[] = [];
    for (const way of ways) results.push(await way());
    return results;
  };

  const comesBack = async <T extends RecordLike>(db: Db, table: T, row: T['$inferInsert']) => {
    await db.insert(table).values(row);
    const isIt = eq(table.id, Reflect.get(row, 'id'));
    const [first, ...others] = await readings((h) => h.select().from<PgTable>(table).where(isIt));
    expect(first).toMatchObject([row]);
    for (const other of others) expect(other).toStrictEqual(first);
  };

  it('of every column type are read as they were written, by either driver', async () => {
    const at = new Date('2026-02-03T04:05:06.007Z');
    const odd = 'say "yes", {no}, \\back, NULL, Ё 😀\n';
    for (const [n, { db }] of both.entries()) {
      const role = { permissions: [odd, '', 'NULL'], scope: { sites: [newId()] }, created_at: at };
      await comesBack(db, roles, { id: newId(), name: odd, name_key: newId(), ...role });
      const audit = { at, seq: Number.MAX_SAFE_INTEGER - n, count: 3, details: { odd, deep: [null, 1.5] } };
      await comesBack(db, auditEvents, { ...event(odd), ...audit, user_id: null, message: '' });
      const site = { ...siteRow(), location: { latitude: -1.25, longitude: 2e-7, country: '' } };
      await comesBack(db, sites, { ...site, maintenance: true, maintenance_template_id: null });
      const [first, second] = await Promise.all(both.map((c) => siteRecords.find(c.db, site.id, everywhere)));
      expect(first?.created_at).toBeInstanceOf(Date);
      expect(second).toStrictEqual(first);
    }
  });

  it('computed by SQL have the same type with either driver', async () => {
    const computed = {
      ...{ int: sql`7`, counted: sql`count(*)`, whole: sql`count(*)::int`, exact: sql`1.10::numeric` },
      ...{ float: sql`0.1::float8`, yes: sql`true`, nothing: sql`null::text`, raised: sql`must(true, 'x')` },
      ids: sql`array['01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11']::uuid[]`,
      ...{ none: sql`'{}'::uuid[]`, texts: sql`array['a,b', null, '"', 'null']` },
      ...{ ints: sql`array[1, 2]`, booleans: sql`array[true, false]`, bytes: sql`'\\x00ff'::bytea` },
      json: sql`'{"a": [1, null, "Ё"]}'::jsonb`,
      mapped: sql`'2026-01-02 03:04:05.678+00'::timestamptz`.mapWith(sites.created_at),
      moment: sql`'2026-01-02 03:04:05.678+00'::timestamptz`,
      ...{ moments: sql`array['2026-01-02'::timestamptz]`, day: sql`'2026-01-02'::date` },
    };
    const [first, ...others] = await readings((h) => h.select(computed).from(sql`(values (1), (2)) as rows`));
    expect(first).toMatchObject([
      {
        ...{ int: 7, counted: '2', whole: 2, float: 0.1, exact: '1.10', yes: true, nothing: null },
        ...{ ids: ['01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11'], none: [], texts: ['a,b', null, '"', 'null'] },
        ...{ json: { a: [1, null, 'Ё'] }, mapped: new Date('2026-01-02T03:04:05.678Z'), raised: '' },
      },
    ]);
    for (const other of others) expect(other).toStrictEqual(first);
    const raw = sql`select 7 as a, '2026-01-02'::date as b, null as c, '{}'::jsonb as d`;
    for (const result of await readings((h) => h.execute(raw)))
      expect(result).toMatchObject({ rows: [{ a: 7, b: '2026-01-02', c: null, d: {} }], rowCount: 1 });
  });
});

describe.each(drivers)('the portal by %s', (driver) => {
  const world = useWorld({ driver });
  const admin = adminOf(world);
  const path = `${base}/sites`;

  it('supports the life cycle of a site: created, refused twice, changed, listed, deleted', async () => {
    const body = siteBody();
    const created = await admin(`POST ${path}`, body);
    expect([created.status, created.body.name]).toEqual([201, body.name]);
    const one = `${path}/${created.body.id}`;
    const again = await admin(`POST ${path}`, body);
    expect(again.body).toMatchObject({ code: 'already_exists', existing_id: created.body.id, status: 409 });
    const patch = () => admin(`PATCH ${one}`, { comments: 'warm' });
    const { result, events } = await audited(world.portal, patch);
    const changes = [{ field: 'comments', before: '', after: 'warm' }];
    expect(events).toMatchObject([{ action: 'update', changes }]);
    expect(result.body).toMatchObject({ comments: 'warm' });
    const listed = await admin(`GET ${path}?search=${body.name}&count=exact`);
    expect(listed.body).toEqual({ items: [result.body], total: 1, next: null });
    expect((await admin(`DELETE ${one}`)).status).toBe(204);
    expect((await admin(`GET ${one}`)).status).toBe(404);
  });

  it('allows one of two writers of one version, with one event', async () => {
    const { site, portal } = world;
    const one = `${path}/${site.id}`;
    const etag = (await admin(`GET ${one}`)).headers.get('etag') ?? '';
    const write = (comments: string) => admin(`PUT ${one}`, { ...site, comments }, { 'if-match': etag });
    const { result, events } = await audited(portal, () => Promise.all([write('one'), write('two')]));
    expect(result.map(({ status }) => status).sort()).toEqual([200, 412]);
    expect(events).toHaveLength(1);
  });

  it('pages through nested objects by cursor, and deletes them in bulk', async () => {
    const { domain, portal } = world;
    for (let n = 0; n < 3; n++) await addMember(world, ['sites.read']);
    const first = (await admin(`GET ${usersPath(domain)}?limit=2&sort=-created_at`)).body;
    const rest = (await admin(`GET ${usersPath(domain)}?limit=2&sort=-created_at&cursor=${first.next}`)).body;
    const found: Json[] = [...first.items, ...rest.items];
    expect(new Set(found.map(({ id }) => id)).size).toBe(3);
    for (const { roles } of found) expect(roles).toEqual([expect.any(String)]);
    const destroy = () => admin(`POST ${usersPath(domain)}/bulk_destroy`, { all: true });
    const { result, events } = await audited(portal, destroy);
    expect(result.body).toMatchObject({ deleted_count: 3, failed_count: 0 });
    expect(events).toMatchObject([{ count: 3, details: { deleted: result.body.deleted } }]);
  });

  it('logs in and out', async () => {
    const { ask, user } = await addMember(world, []);
    expect((await ask('GET /api/userinfo')).body.id).toBe(user.id);
    expect((await ask('POST /api/auth/v7.0/logout')).status).toBe(200);
    expect((await ask('GET /api/userinfo')).status).toBe(401);
  });
});

requireService('postgresql', isPostgres)('an unavailable database', () => {
  it.each(drivers)('is answered with 503 at once by %s', async (driver) => {
    const fresh = await freshDatabase();
    const between = await startFreezableProxy(fresh.url);
    const portal = await startPortal({ driver, database: { ...fresh, url: between.url } });
    const token = await portal.login();
    const ask = () => portal.send(`GET ${base}/sites`, { token });
    expect((await ask()).status).toBe(200);
    await between.close();
    const startedAt = performance.now();
    const { status, body, headers } = await ask();
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'database_unavailable', '5']);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    await portal.close();
  });

  it.each(drivers)('fails within the time limit by %s when it hangs', async (driver) => {
    const between = await startFreezableProxy(database.url);
    const { db, close } = await connectBy(driver, { url: between.url, statementTimeoutMs: 300 });
    await db.select().from(guards);
    between.freeze();
    const startedAt = performance.now();
    const read = (h: Db) => h.select().from(guards);
    const inBatch = () => atomically(db, (h) => [read(h)]);
    const errors = await Promise.all([read(db).execute(), inBatch()].map(failureOf));
    for (const error of errors) expect(databaseProblem(error)?.code).toBe('database_unavailable');
    expect(performance.now() - startedAt).toBeLessThan(4_500);
    await between.close();
    await close();
  });
});

describe('the local Neon proxy', () => {
  it('refuses requests that a page in a browser could send', async () => {
    const proxy = await startNeonProxy({ databaseUrl: database.url });
    const host = new URL(proxy.url).host;
    const asked = { 'neon-connection-string': 'postgres://a:b@c/d', host };
    const options = { method: 'POST', body: '{"query":"select 1"}' } as const;
    const statusOf = (headers: Record<string, string>) =>
      request(`${proxy.url}/sql`, { ...options, headers }).then((answer) => answer.statusCode);
    expect(await statusOf(asked)).toBe(200);
    expect(await statusOf({ host })).toBe(400);
    expect(await statusOf({ ...asked, host: 'rebound.example' })).toBe(404);
    expect(await statusOf({ ...asked, origin: 'https://page.example' })).toBe(404);
    const socket = new WebSocket(`ws://${host}/v2`, { origin: 'https://page.example' });
    expect(String(await once(socket, 'error'))).toContain('403');
    await proxy.close();
  });

  it('is reported as an unavailable database when it is stopped', async () => {
    const { url, close } = await startNeonProxy({ databaseUrl: database.url });
    await close();
    const { db } = connectNeon({ url: database.url, proxy: url });
    const read = (h: Db) => h.select().from(guards);
    const ways = [read(db).execute(), atomically(db, (h) => [read(h)]), withTransaction(db, read)];
    const broken = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
    for (const error of [broken, ...(await Promise.all(ways.map(failureOf)))])
      expect(databaseProblem(error)?.code).toBe('database_unavailable');
  });
});
