import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Connection, servedFirst } from '../../../db/client.ts';
import { asAppError } from '../../../db/errors.ts';
import { connectPg } from '../../../db/pg.ts';
import { auditEvents } from '../../../db/schema/audit/events.ts';
import { eventBy, noteRefusal } from '../../../shared/context/audit-entry.ts';
import { freshDatabase } from '../../support/database/database.ts';
import { type FreezableProxy, startFreezableProxy } from '../../support/database/freezable-proxy.ts';
import { useWorld } from '../../support/factories.ts';
import { adminPassword } from '../../support/portal.ts';

/** More work than two connections do within the 3 seconds that a statement waits for one. */
const statements = 120;
const work = ({ db }: Pick<Connection, 'db'>) =>
  Promise.all(
    Array.from({ length: statements }, () =>
      db.execute(sql`select pg_sleep(0.1)`).then(
        () => 'answered',
        (error: unknown) => asAppError(error).code,
      ),
    ),
  );

describe('more statements than the connections can serve', () => {
  let proxy: FreezableProxy;
  let connection: Connection;
  beforeAll(async () => {
    const database = await freshDatabase();
    proxy = await startFreezableProxy(database.url);
    connection = connectPg({ url: proxy.url, maxConnections: 2, statementTimeoutMs: 1_000 });
    return async () => {
      await connection.close();
      await proxy.close();
      await database.drop();
    };
  });

  it('are refused as overload while the database answers, and a refusal is audited before they end', async () => {
    const log = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
    const entry = eventBy({ kind: 'anonymous' }, new Date(), {
      event: 'portal.LoginFailed',
      category: 'auth',
    });
    const all = work(connection);
    await noteRefusal({ deps: connection, log, requestId: 'test' }, 'test', entry);
    expect(log.error).not.toHaveBeenCalled();
    const written = await servedFirst(connection.db).select({ id: auditEvents.id }).from(auditEvents);
    expect(written).toEqual([{ id: entry.id }]);
    const codes = await all;
    expect(new Set(codes)).toEqual(new Set(['answered', 'overloaded']));
    expect(codes.filter((code) => code === 'answered').length).toBeGreaterThan(20);
  });

  it('are refused because of the database if it does not answer', async () => {
    await connection.db.execute(sql`select 1`);
    proxy.freeze();
    expect(new Set(await work(connection))).toEqual(new Set(['database_unavailable']));
    proxy.thaw();
  });

  afterAll(() => proxy.thaw());
});

describe('a portal whose connections are all in use', () => {
  const world = useWorld();

  it('refuses logins and reads as overloaded, with the time after which they can be repeated', async () => {
    const { portal, admin } = world;
    let isOver = false;
    let answered = 0;
    // Twice as many as its ten connections. Each asks again at once, and comes before the requests.
    const busy = Array.from({ length: 20 }, async () => {
      for (; !isOver; answered++) await servedFirst(portal.db).execute(sql`select pg_sleep(0.1)`);
    });
    await expect.poll(() => answered).toBeGreaterThan(20);
    const body = { username: 'admin', password: adminPassword, authSmallName: 'builtin' };
    const answers = Promise.all([
      portal.send('POST /api/auth/v7.0/login', { body }),
      portal.send('POST /api/auth/v7.0/login', { body: { ...body, password: 'wrong' } }),
      admin('GET /api/webui/aggregator/sites'),
    ]).finally(() => {
      isOver = true;
    });
    for (const { status, body: problem, headers } of await answers)
      expect([status, problem.code, headers.get('retry-after')]).toEqual([503, 'overloaded', '5']);
    await Promise.all(busy);
    expect((await admin('GET /api/webui/aggregator/sites')).status).toBe(200);
  });
});
