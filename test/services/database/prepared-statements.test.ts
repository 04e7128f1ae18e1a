import { sql } from 'drizzle-orm';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { atomically, withTransaction } from '../../../db/client.ts';
import { connectPg, type PgConnection, type PgOptions, type PrepareReport } from '../../../db/pg.ts';
import { freshDatabase } from '../../support/database/database.ts';
import { hasPgbouncer, type Pgbouncer, startPgbouncer } from '../../support/database/pgbouncer.ts';
import { type DatabaseServer, startDatabaseServer } from '../../support/database/stand.ts';
import { requireService } from '../../support/services.ts';

const open: PgConnection[] = [];
const reports: PrepareReport[] = [];

function connect(url: string, options: Partial<PgOptions> = {}): PgConnection {
  const onPrepare = (report: PrepareReport) => void reports.push(report);
  const connection = connectPg({ url, maxConnections: 1, onPrepare, ...options });
  open.push(connection);
  return connection;
}

afterEach(async () => {
  for (const connection of open.splice(0)) await connection.close();
  reports.length = 0;
});

const plus = (n: number) => sql`select ${n}::int + 1 as n`;
const resultOf = async ({ query }: PgConnection, text: string, values?: unknown[]) =>
  (await query({ text }, values)).rows;
/** Not named itself, because of the semicolon. */
const preparedOn = (connection: PgConnection) =>
  resultOf(
    connection,
    'select count(*)::int as n, sum(generic_plans + custom_plans)::int as runs from pg_prepared_statements;',
  );

describe('on PostgreSQL', () => {
  let url: string;
  let direct: pg.Client;
  beforeEach(async () => {
    const database = await freshDatabase();
    url = database.ownerUrl;
    direct = new pg.Client({ connectionString: url });
    await direct.connect();
    await direct.query('create table kept (n int); insert into kept values (1)');
    return async () => {
      await direct.end();
      await database.drop();
    };
  });

  it('a text is planned when it is sent for the second time, and its plan is used from then on', async () => {
    const connection = connect(url);
    for (let n = 0; n < 10; n++) await connection.db.execute(plus(n));
    expect(await preparedOn(connection)).toEqual([{ n: 1, runs: 9 }]);
    await withTransaction(connection.db, (tx) => tx.execute(plus(10)));
    await atomically(connection.db, (tx) => [tx.execute(plus(11)), tx.execute(plus(12))]);
    expect(await preparedOn(connection)).toEqual([{ n: 1, runs: 12 }]);
  });

  it('a connection has at most 200 prepared statements, and a dropped one works again', async () => {
    const connection = connect(url);
    const ask = (n: number) => resultOf(connection, `select $1::int + ${n} as n`, [1]);
    for (let n = 0; n < 250; n++) for (const _ of [1, 2]) await ask(n);
    expect(await preparedOn(connection)).toEqual([{ n: 200, runs: 200 }]);
    expect(await ask(0)).toEqual([{ n: 1 }]);
    expect(await preparedOn(connection)).toMatchObject([{ n: 200 }]);
  });

  it('a changed result type after a migration is noticed, and statements are prepared again', async () => {
    const connection = connect(url);
    const read = () => resultOf(connection, 'select * from kept');
    await read();
    expect(await read()).toEqual([{ n: 1 }]);
    await direct.query("alter table kept add column word text default 'new'");
    expect(await read()).toEqual([{ n: 1, word: 'new' }]);
    expect(reports).toEqual([{ code: '0A000', isOff: false }]);
    const [before] = await preparedOn(connection);
    await read();
    await read();
    const [after] = await preparedOn(connection);
    expect(after?.runs).toBe(before?.runs + 2);
  });

  it('a batch that fails for a changed type is run again, once', async () => {
    const connection = connect(url);
    const add = () =>
      atomically(connection.db, (tx) => [
        tx.execute(sql`insert into kept (n) values (${2}) returning *`),
        tx.execute(sql`select * from kept`),
      ]);
    await add();
    await add();
    await direct.query('alter table kept add column word text');
    await add();
    expect(await resultOf(connection, 'select count(*)::int as n from kept')).toEqual([{ n: 4 }]);
  });

  it('an error of the statement itself is reported at once', async () => {
    const connection = connect(url);
    const divide = (by: number) => resultOf(connection, 'select 1 / $1::int as n', [by]);
    await divide(1);
    await divide(1);
    await expect(divide(0)).rejects.toMatchObject({ code: '22012' });
    await expect(resultOf(connection, 'select 1 / $1::int as n', ['word'])).rejects.toMatchObject({
      code: '22P02',
    });
    expect(reports).toEqual([]);
  });

  it('DATABASE_PREPARE=off sends no names', async () => {
    const connection = connect(url, { prepares: false });
    for (let n = 0; n < 3; n++) await connection.db.execute(plus(n));
    expect(await preparedOn(connection)).toEqual([{ n: 0, runs: null }]);
  });
});

requireService('pgbouncer', hasPgbouncer)('behind a PgBouncer without prepared statements', () => {
  let server: DatabaseServer;
  let bouncer: Pgbouncer;
  beforeAll(async () => {
    server = await startDatabaseServer();
    // Several server sessions, so that a statement meets one that does not have it.
    bouncer = await startPgbouncer({ server: server.url, users: ['app'], ignored: ['options'], poolSize: 4 });
    await server.admin.query('create table kept (n int)');
  }, 60_000);
  afterAll(async () => {
    await bouncer?.stop();
    await server?.stop();
  });

  it('every statement and batch succeeds once, and one report says that names are off', async () => {
    const { db } = connect(bouncer.through(server.url), { maxConnections: 8 });
    const rounds = Array.from({ length: 200 }, (_, n) => n);
    const work = rounds.map(async (n) => {
      await db.execute(plus(n));
      await atomically(db, (tx) => [tx.execute(sql`insert into kept values (${n})`), tx.execute(plus(n))]);
      await withTransaction(db, (tx) => tx.execute(plus(n)));
    });
    await Promise.all(work);
    const { rows } = await server.admin.query(
      'select count(*)::int as n, count(distinct n)::int as d from kept',
    );
    expect(rows).toEqual([{ n: 200, d: 200 }]);
    expect(reports).toEqual([{ code: expect.stringMatching(/^(26000|42P05)$/), isOff: true }]);
  });
});
