import { type SQL, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  atomically,
  type Connection,
  type Db,
  type Frame,
  OpeningError,
  readTogether,
  withFrame,
  withTransaction,
} from '../../../../db/client.ts';
import { pgFault } from '../../../../db/errors.ts';
import { connectPg } from '../../../../db/pg.ts';
import { type FreshDatabase, freshDatabase } from '../../../support/database/database.ts';
import { connectBy } from '../../../support/database/neon-proxy.ts';

let database: FreshDatabase;
let direct: Connection;
let connection: Connection;
let trips = 0;
let expired: unknown[] = [];

beforeAll(async () => {
  database = await freshDatabase();
  direct = connectPg({ url: database.ownerUrl, maxConnections: 1 });
  await direct.db.execute(
    sql`create table frame_effects (name text primary key, transaction xid8 default pg_current_xact_id())`,
  );
  await direct.db.execute(
    sql`create table frame_leases (id int primary key, state text, transaction xid8 default pg_current_xact_id())`,
  );
  await direct.db.execute(sql`create function add_effect(given text) returns text language sql as $$
    insert into frame_effects values (given) returning name $$`);
  connection = await connectBy('neon', { url: database.ownerUrl, onRoundTrip: () => trips++ });
});
afterAll(async () => {
  await connection?.close();
  await direct.close();
  await database.drop();
});
beforeEach(async () => {
  await direct.db.execute(sql`truncate frame_effects, frame_leases`);
  expired = [];
  trips = 0;
});

const add = (h: Db, name: string) =>
  h.execute(sql`insert into frame_effects values (${name}) returning name`);
const read = (h: Db) => h.select({ n: sql<number>`count(*)::int` }).from(sql`frame_effects`);
const setTo = (h: Db, state: string) =>
  h.execute(
    sql`insert into frame_leases values (1, ${state}) on conflict (id) do update set state = excluded.state`,
  );
const rowsOf = async (query: SQL) => (await direct.db.execute(query)) as unknown as { rows: unknown[] };
const effects = async () =>
  (await rowsOf(sql`select name from frame_effects order by name`)).rows.map(
    (row) => Object.values(Object(row))[0],
  );
const lease = async () =>
  (await rowsOf(sql`select state from frame_leases`)).rows.map((row) => Object.values(Object(row))[0]);

/** A frame whose opening fails if there is a lease. */
const run = <T>(work: Frame<T>['work'], closing: Frame<T>['closing'] = (h) => [setTo(h, 'closed')]) =>
  withFrame<T>(connection.db, {
    opening: (h) => [h.execute(sql`select must(not exists(select 1 from frame_leases), 'leased')`)],
    work,
    closing,
    lease: {
      take: (h) => [setTo(h, 'taken')],
      isRefusal: (error) => pgFault(error)?.message === 'leased',
      closing,
      abandon: (h) => [setTo(h, 'abandoned')],
      onExpiry: (error) => void expired.push(error),
    },
  });

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => expect.fail('it succeeded'),
    (error: unknown) => error,
  );

describe('a frame on Neon', () => {
  it('takes its lease in the transaction of its first write, and closes in one round trip', async () => {
    const seen: unknown[] = [];
    const result = await run(async (h) => {
      seen.push(await read(h), await lease());
      seen.push(await atomically(h, (b) => [add(b, 'a'), read(b)]), await lease());
      const { rows } = (await add(h, 'b')) as unknown as { rows: unknown[] };
      return rows;
    });
    expect(seen).toMatchObject([[{ n: 0 }], [], [{ rows: [{ name: 'a' }] }, [{ n: 1 }]], ['taken']]);
    expect([result, await effects(), await lease(), trips]).toEqual([
      [{ name: 'b' }],
      ['a', 'b'],
      ['closed'],
      4,
    ]);
    const { rows } = await rowsOf(
      sql`select 1 from frame_effects join frame_leases using (transaction) where name = 'a'`,
    );
    expect(rows).toHaveLength(1);
  });

  it('takes its lease with a single statement', async () => {
    const result = await run(async (h) => ((await add(h, 'a')) as unknown as { rows: unknown[] }).rows);
    expect([result, await effects(), await lease(), trips]).toEqual([[{ name: 'a' }], ['a'], ['closed'], 2]);
  });

  it('takes its lease once for concurrent writes', async () => {
    await run((h) => Promise.all(['a', 'b', 'c'].map((name) => atomically(h, (b) => [add(b, name)]))));
    expect([await effects(), await lease(), trips]).toEqual([['a', 'b', 'c'], ['closed'], 4]);
  });

  it('has no lease after a write that failed, and takes it with the next one', async () => {
    const states: unknown[] = [];
    await run(async (h) => {
      await expect(atomically(h, (b) => [add(b, 'a'), add(b, 'a')])).rejects.toThrow();
      states.push(await lease());
      await atomically(h, (b) => [add(b, 'b')]);
      states.push(await lease());
    });
    expect([states, await effects(), await lease()]).toEqual([[[], ['taken']], ['b'], ['closed']]);
  });

  it.each<[string, (error: unknown) => Promise<void>]>([
    ['fails', (error) => Promise.reject(error)],
    ['goes on', () => Promise.resolve()],
  ])('takes no effect after a failed opening, also if its work %s', async (_, then) => {
    await direct.db.execute(sql`insert into frame_leases values (1, 'of another frame')`);
    const error = await failureOf(
      run(async (h) => {
        await read(h);
        await atomically(h, (b) => [add(b, 'a')]).then(() => undefined, then);
        await add(h, 'b').then(() => undefined, then);
        await read(h).then(() => undefined, then);
      }),
    );
    expect(error).toBeInstanceOf(OpeningError);
    expect([await effects(), await lease(), trips]).toEqual([[], ['of another frame'], 2]);
  });

  it('sends its opening with its closing if nothing was written', async () => {
    await run(async (h) => readTogether(h, (b) => [read(b), read(b)]));
    expect([await lease(), trips]).toEqual([['closed'], 2]);
    expect(await failureOf(run(read))).toBeInstanceOf(OpeningError);
    expect(
      await failureOf(
        run(
          async () => 'a rejection',
          () => [],
        ),
      ),
    ).toBeInstanceOf(OpeningError);
  });

  it('abandons its lease if the work fails after a write, and has none if it fails before', async () => {
    const failed = new Error('failed');
    expect(await failureOf(run(() => Promise.reject(failed)))).toBe(failed);
    expect(await lease()).toEqual([]);
    expect(
      await failureOf(
        run(async (h) => {
          await add(h, 'a');
          throw failed;
        }),
      ),
    ).toBe(failed);
    expect([await effects(), await lease()]).toEqual([['a'], ['abandoned']]);
  });

  it('returns its result if the closing fails after a write, and reports the error', async () => {
    const broken: Frame<unknown>['closing'] = (h) => [h.execute(sql`select 1 / 0`)];
    const { rows } = (await run((h) => add(h, 'a'), broken)) as unknown as { rows: unknown[] };
    expect([rows, await lease(), pgFault(expired[0])?.code]).toEqual([[{ name: 'a' }], ['taken'], '22012']);
    await direct.db.execute(sql`truncate frame_leases`);
    expect(pgFault(await failureOf(run(read, broken)))?.code).toBe('22012');
    expect(expired).toHaveLength(1);
  });

  it('opens in an interactive transaction of its work, and has no lease if that is rolled back', async () => {
    const states: unknown[] = [];
    await run(async (h) => {
      const rolledBack = withTransaction(h, async (inner) => {
        await add(inner, 'a');
        throw new Error('failed');
      });
      await expect(rolledBack).rejects.toThrow('failed');
      states.push(await lease());
      await withTransaction(h, (inner) => add(inner, 'b'));
      states.push(await lease());
      await withTransaction(h, (inner) => add(inner, 'c'));
    });
    expect([states, await effects(), await lease()]).toEqual([[[], ['taken']], ['b', 'c'], ['closed']]);
    expect(await failureOf(run((h) => withTransaction(h, (inner) => add(inner, 'd'))))).toBeInstanceOf(
      OpeningError,
    );
    expect(await effects()).toEqual(['b', 'c']);
  });

  it('rejects a read that writes, which would take effect without the lease', async () => {
    const escaping = run((h) => h.select({ name: sql`add_effect('a')` }).from(sql`(values (1)) as once`));
    expect(pgFault(await failureOf(escaping))?.code).toBe('25006');
    expect([await effects(), await lease()]).toEqual([[], []]);
  });

  it('sends a select that locks rows as a write', async () => {
    await direct.db.execute(sql`insert into frame_effects values ('a')`);
    await run((h) => h.select({ name: sql`name` }).from(sql`frame_effects`).for('share'));
    expect([await lease(), trips]).toEqual([['closed'], 2]);
  });
});
