import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atomically, type Connection, type Db, withTransaction } from '../../../../db/client.ts';
import { DiscardedError, type Flight, openFlight } from '../../../../db/flight.ts';
import { connectPg } from '../../../../db/pg.ts';
import { type FreshDatabase, freshDatabase } from '../../../support/database/database.ts';
import { connectBy, type Driver } from '../../../support/database/neon-proxy.ts';

const read = (db: Db, n: number) => db.select({ n: sql<number>`${n}::int` }).from(sql`(values (1)) as once`);
const isDiscarded = (error: unknown): boolean =>
  error instanceof Error && (error instanceof DiscardedError || isDiscarded(error.cause));
const outcomeOf = (work: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(work).catch((error: unknown) => (isDiscarded(error) ? 'discarded' : error));

describe.each<Driver>(['pg', 'neon'])('a flight by the driver %s', (driver) => {
  let database: FreshDatabase;
  let connection: Connection;
  let direct: Connection;
  let trips = 0;
  beforeAll(async () => {
    database = await freshDatabase();
    direct = connectPg({ url: database.ownerUrl, maxConnections: 1 });
    await direct.db.execute(sql`create table kept (n int)`);
    connection = await connectBy(driver, { url: database.ownerUrl, onRoundTrip: () => trips++ });
    await read(connection.db, 1);
  });
  afterAll(async () => {
    await connection.close();
    await direct.close();
    await database.drop();
  });

  const open = (): Flight => {
    const flight = openFlight(connection.db);
    if (!flight) throw new Error('the driver has no flights');
    trips = 0;
    return flight;
  };
  const kept = async () => (await direct.db.select({ n: sql<number>`count(*)::int` }).from(sql`kept`))[0]?.n;

  it('sends concurrent reads with the lookup, in one round trip, and delivers them after the approval', async () => {
    const flight = open();
    const reads = Promise.all([read(flight.handle, 2), read(flight.handle, 3)]);
    let isDelivered = false;
    void reads.then(() => {
      isDelivered = true;
    });
    expect(await read(flight.lookup, 1)).toEqual([{ n: 1 }]);
    expect(isDelivered).toBe(false);
    flight.decide(true);
    expect(await reads).toEqual([[{ n: 2 }], [{ n: 3 }]]);
    expect(trips).toBe(1);
    expect(await read(flight.handle, 4)).toEqual([{ n: 4 }]);
    expect(trips).toBe(2);
  });

  it('discards results and errors of reads that are not approved', async () => {
    const flight = open();
    const good = outcomeOf(read(flight.handle, 2));
    const bad = outcomeOf(flight.handle.select({ n: sql`1 / ${0}::int` }).from(sql`(values (1)) as once`));
    expect(await read(flight.lookup, 1)).toEqual([{ n: 1 }]);
    flight.decide(false);
    expect([await good, await bad, await outcomeOf(read(flight.handle, 3))]).toEqual(
      Array(3).fill('discarded'),
    );
  });

  it('delivers the error of a read, and the results of the others', async () => {
    const flight = open();
    const bad = outcomeOf(flight.handle.select({ n: sql`1 / ${0}::int` }).from(sql`(values (1)) as once`));
    const good = read(flight.handle, 2);
    const result = good.then((rows) => rows);
    expect(await read(flight.lookup, 1)).toEqual([{ n: 1 }]);
    flight.decide(true);
    expect(await bad).toMatchObject({ cause: { code: '22012' } });
    expect(await result).toEqual([{ n: 2 }]);
  });

  it.each<[string, (db: Db) => PromiseLike<unknown>]>([
    ['a statement that writes', (db) => db.execute(sql`insert into kept values (1)`)],
    [
      'a read that writes',
      (db) => db.execute(sql`with w as (insert into kept values (1) returning n) select n from w`),
    ],
    ['a batch', (db) => atomically(db, (h) => [h.execute(sql`insert into kept values (1)`)])],
    ['a transaction', (db) => withTransaction(db, (tx) => tx.execute(sql`insert into kept values (1)`))],
  ])('runs nothing that is not approved: %s', async (_, write) => {
    const before = await kept();
    const refused = open();
    const work = outcomeOf(write(refused.handle));
    await read(refused.lookup, 1);
    refused.decide(false);
    expect([await work, await kept()]).toEqual(['discarded', before]);
    const approved = open();
    const done = write(approved.handle);
    const finished = Promise.resolve(done);
    await read(approved.lookup, 1);
    expect(await kept()).toBe(before);
    approved.decide(true);
    await finished;
    expect(await kept()).toBe((before ?? 0) + 1);
  });

  it('sends a lookup without reads, and reads without a lookup after the approval', async () => {
    const alone = open();
    expect(await read(alone.lookup, 1)).toEqual([{ n: 1 }]);
    const unasked = open();
    const result = read(unasked.handle, 2).then((rows) => rows);
    unasked.decide(true);
    expect(await result).toEqual([{ n: 2 }]);
  });
});
