import { sql } from 'drizzle-orm';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { atomically, type Connection, OpeningError, withFrame, withTransaction } from '../../../db/client.ts';
import { connectPg } from '../../../db/pg.ts';
import { freshDatabase } from '../../support/database/database.ts';
import { type FreezableProxy, startFreezableProxy } from '../../support/database/freezable-proxy.ts';

const timeoutMs = 2_000;
const rowOf = async ({ db }: Pick<Connection, 'db'>) =>
  (await db.select({ n: sql<number>`count(*)::int` }).from(sql`kept`))[0];
const pidOf = async ({ db }: Pick<Connection, 'db'>) =>
  (await db.select({ pid: sql<number>`pg_backend_pid()` }).from(sql`(values (1)) as once`))[0]?.pid;

let proxy: FreezableProxy;
let direct: pg.Client;
/** With one connection: a caller that does not release it blocks all others. */
let connection: Connection;

beforeEach(async () => {
  const database = await freshDatabase();
  proxy = await startFreezableProxy(database.ownerUrl);
  direct = new pg.Client({ connectionString: database.ownerUrl });
  await direct.connect();
  await direct.query('create table kept (n int)');
  connection = connectPg({ url: proxy.url, maxConnections: 1, statementTimeoutMs: timeoutMs });
  return async () => {
    await connection.close();
    await direct.end();
    await proxy.close();
    await database.drop();
  };
});
afterEach(() => proxy.thaw());

const insert = sql`insert into kept values (1)`;

describe('a transaction over sockets', () => {
  it('releases its connection when it cannot begin', async () => {
    await rowOf(connection);
    proxy.freeze();
    await expect(withTransaction(connection.db, (handle) => handle.execute(insert))).rejects.toThrow();
    proxy.thaw();
    expect(await rowOf(connection)).toEqual({ n: 0 });
  });

  it('that waits for a lock is ended by the server, and its connection is reused', async () => {
    const before = await pidOf(connection);
    await direct.query('begin; lock table kept');
    const work = withTransaction(connection.db, (handle) => handle.execute(insert));
    await expect(work).rejects.toMatchObject({ cause: { code: expect.stringMatching(/^(57014|55P03)$/) } });
    await direct.query('rollback');
    expect([await rowOf(connection), await pidOf(connection)]).toEqual([{ n: 0 }, before]);
  });

  it('that gets no answer closes its connection, and the next one has no part of it', async () => {
    const before = await pidOf(connection);
    const work = withTransaction(connection.db, async (handle) => {
      await handle.execute(insert);
      proxy.freeze();
      await handle.execute(insert);
    });
    await expect(work).rejects.toMatchObject({ cause: { message: expect.stringContaining('timeout') } });
    proxy.thaw();
    await expect.poll(() => pidOf(connection), { timeout: 15_000 }).not.toBe(before);
    expect(await rowOf(connection)).toEqual({ n: 0 });
  });

  it('is rolled back when its work fails, and its connection is reused', async () => {
    const before = await pidOf(connection);
    const work = withTransaction(connection.db, async (handle) => {
      await handle.execute(insert);
      throw new Error('no');
    });
    await expect(work).rejects.toThrow('no');
    expect([await rowOf(connection), await pidOf(connection)]).toEqual([{ n: 0 }, before]);
  });

  it('nested in another one commits with it, and may be rolled back alone', async () => {
    await withTransaction(
      connection.db,
      async (outer) => {
        await outer.execute(insert);
        const inner = withTransaction(outer, async (handle) => {
          await handle.execute(insert);
          throw new Error('only this');
        });
        await expect(inner).rejects.toThrow('only this');
      },
      { isolationLevel: 'repeatable read' },
    );
    expect(await rowOf(connection)).toEqual({ n: 1 });
  });
});

describe('a batch over sockets', () => {
  const failing = sql`select 1 / 0`;
  const notEncodable = {
    toPostgres: () => {
      throw new Error('the value cannot be encoded');
    },
  };

  it('is rolled back by a failed statement, whose error is reported, and its connection is reused', async () => {
    const before = await pidOf(connection);
    const work = atomically(connection.db, (h) => [h.execute(insert), h.execute(failing), h.execute(insert)]);
    await expect(work).rejects.toMatchObject({ code: '22012' });
    expect([await rowOf(connection), await pidOf(connection)]).toEqual([{ n: 0 }, before]);
  });

  it('sends nothing if a value of any statement cannot be encoded, and its connection is reused', async () => {
    const before = await pidOf(connection);
    const work = atomically(connection.db, (h) => [
      h.execute(insert),
      h.execute(sql`insert into kept values (${notEncodable})`),
    ]);
    await expect(work).rejects.toThrow('the value cannot be encoded');
    expect([await rowOf(connection), await pidOf(connection)]).toEqual([{ n: 0 }, before]);
  });

  it('leaves an interactive transaction usable if it fails', async () => {
    await withTransaction(connection.db, async (transaction) => {
      await transaction.execute(insert);
      for (const last of [failing, sql`insert into kept values (${notEncodable})`])
        await expect(atomically(transaction, (h) => [h.execute(insert), h.execute(last)])).rejects.toThrow();
      await atomically(transaction, (h) => [h.execute(insert)]);
    });
    expect(await rowOf(connection)).toEqual({ n: 2 });
  });

  it('closes its connection if it gets no answer', async () => {
    const before = await pidOf(connection);
    proxy.freeze();
    const work = atomically(connection.db, (h) => [h.execute(insert), h.execute(insert)]);
    await expect(work).rejects.toThrow('The database did not answer');
    proxy.thaw();
    expect(await pidOf(connection)).not.toBe(before);
  });
});

describe('a transaction between opening and closing statements', () => {
  const unused = {
    take: () => [],
    isRefusal: () => false,
    closing: () => [],
    abandon: () => [],
    onExpiry: () => undefined,
  };

  it('takes two round trips with one batch of work', async () => {
    let trips = 0;
    const counted = connectPg({ url: proxy.url, maxConnections: 1, onRoundTrip: () => trips++ });
    await rowOf(counted);
    trips = 0;
    const result = await withFrame(counted.db, {
      opening: (h) => [h.execute(insert), h.execute(insert)],
      work: (h) => atomically(h, (b) => [b.execute(insert)]),
      closing: (h) => [h.execute(insert)],
      lease: unused,
    });
    expect([result.length, trips, await rowOf(counted)]).toEqual([1, 2, { n: 4 }]);
    await counted.close();
  });

  it.each([
    ['fails', (error: unknown) => Promise.reject(error)],
    ['goes on', () => Promise.resolve()],
  ])('takes no effect after a failed opening, also if its work %s', async (_, then) => {
    const before = await pidOf(connection);
    const work = withFrame(connection.db, {
      opening: (h) => [h.execute(sql`select 1 / 0`)],
      work: async (h) => {
        await atomically(h, (b) => [b.execute(insert)]).catch(then);
        await h.execute(insert).catch(then);
      },
      closing: (h) => [h.execute(insert)],
      lease: unused,
    });
    const error = await work.catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(OpeningError);
    expect(error).toMatchObject({ cause: { code: '22012' } });
    expect([await rowOf(connection), await pidOf(connection)]).toEqual([{ n: 0 }, before]);
  });

  it('sends its opening with its end if the work has no statement', async () => {
    await withFrame(connection.db, {
      opening: (h) => [h.execute(insert)],
      work: async () => undefined,
      closing: (h) => [h.execute(insert)],
      lease: unused,
    });
    expect(await rowOf(connection)).toEqual({ n: 2 });
  });

  it('reports a commit that the server has turned into a rollback', async () => {
    const work = withTransaction(connection.db, async (h) => {
      await h.execute(insert);
      await h.execute(sql`select 1 / 0`).catch(() => undefined);
    });
    await expect(work).rejects.toThrow('rolled back');
    expect(await rowOf(connection)).toEqual({ n: 0 });
  });
});
