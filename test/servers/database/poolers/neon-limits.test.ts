import { sql } from 'drizzle-orm';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { atomically, type Connection, type Db, withTransaction } from '../../../../db/client.ts';
import { databaseProblem } from '../../../../db/errors.ts';
import { findBinaries } from '../../../../shared/tooling/start/throwaway-postgres.ts';
import { type FreshDatabase, freshDatabase } from '../../../support/database/database.ts';
import { connectBy } from '../../../support/database/neon-proxy.ts';
import { requireService } from '../../../support/services.ts';

const limit = sql`select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
  current_setting('idle_in_transaction_session_timeout') as idle`;
const rowsOf = async (db: Db) => ((await db.execute(limit)) as unknown as { rows: unknown[] }).rows;

requireService('postgresql', findBinaries() !== undefined)('through the Neon drivers', () => {
  let database: FreshDatabase;
  let connection: Connection;
  let admin: pg.Client;

  beforeAll(async () => {
    database = await freshDatabase();
    connection = await connectBy('neon', {
      url: database.url,
      statementTimeoutMs: 2_000,
      lockTimeoutMs: 500,
    });
    admin = new pg.Client({ connectionString: database.superuserUrl });
    await admin.connect();
  });
  afterAll(async () => {
    await connection.close();
    await admin.end();
    await database.drop();
  });

  const sleepers = async () =>
    (
      await admin.query(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`,
      )
    ).rowCount;

  it('a statement has the limits of its role, and a transaction its own', async () => {
    expect(await rowsOf(connection.db)).toEqual([{ statement: '10s', lock: '3s', idle: '15s' }]);
    expect(await withTransaction(connection.db, rowsOf)).toEqual([
      { statement: '2s', lock: '500ms', idle: '15s' },
    ]);
  });

  it.each([
    ['a statement', (db: Db) => db.execute(sql`select pg_sleep(60)`)],
    [
      'a batch',
      (db: Db) => atomically(db, (h) => [h.select({ x: sql`pg_sleep(60)` }).from(sql`(values (1)) as once`)]),
    ],
  ])(
    '%s of an aborted request is cancelled',
    async (_, run) => {
      const failed = Promise.resolve(run(connection.db)).then(
        () => undefined,
        (error: unknown) => databaseProblem(error)?.code,
      );
      await expect.poll(sleepers, { timeout: 10_000 }).toBe(1);
      expect(await failed).toBe('database_unavailable');
      // The timeout of its role would allow some more seconds.
      await expect.poll(sleepers, { timeout: 4_000 }).toBe(0);
    },
    30_000,
  );
});
