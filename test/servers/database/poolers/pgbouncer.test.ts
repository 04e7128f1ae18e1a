import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { atomically, type Db, withTransaction } from '../../../../db/client.ts';
import { pgFault } from '../../../../db/errors.ts';
import { connectPg, type PgConnection, type PgOptions, type SessionReport } from '../../../../db/pg.ts';
import { defaultRoles } from '../../../../db/roles.ts';
import { findBinaries } from '../../../../shared/tooling/start/throwaway-postgres.ts';
import { hasPgbouncer, type Pgbouncer, startPgbouncer } from '../../../support/database/pgbouncer.ts';
import { startPsql } from '../../../support/database/psql.ts';
import { type DatabaseServer, startDatabaseServer } from '../../../support/database/stand.ts';
import { requireService } from '../../../support/services.ts';

const settings = sql`select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
  current_setting('idle_in_transaction_session_timeout') as idle`;
const rowsOf = async (db: Db, statement = settings) =>
  ((await db.execute(statement)) as unknown as { rows: Record<string, unknown>[] }).rows;
const codeOf = (work: PromiseLike<unknown>) =>
  Promise.resolve(work).then(
    () => 'none',
    (error: unknown) => pgFault(error)?.code ?? String(error),
  );

requireService('pgbouncer', hasPgbouncer && findBinaries() !== undefined)('behind PgBouncer', () => {
  let server: DatabaseServer;
  const open: PgConnection[] = [];
  const users = [...Object.values(defaultRoles), 'app'];

  beforeAll(async () => {
    server = await startDatabaseServer();
    await server.admin.query('create table locked as select 1 as n; grant all on locked to public');
  }, 60_000);
  afterEach(async () => {
    for (const connection of open.splice(0)) await connection.close();
  });
  afterAll(() => server?.stop());

  describe.each([
    ['that refuses start-up options', []],
    ['that ignores start-up options', ['options']],
  ])('%s', (_, ignored) => {
    let bouncer: Pgbouncer;

    beforeAll(async () => {
      // One server session, so that every client gets the one that the others have used.
      bouncer = await startPgbouncer({ server: server.url, users, ignored, poolSize: 1 });
    });
    afterAll(() => bouncer?.stop());

    function connect(url: string, given: Partial<PgOptions> = {}) {
      const reports: SessionReport[] = [];
      const onSession = (report: SessionReport) => void reports.push(report);
      const connection = connectPg({ url: bouncer.through(url), maxConnections: 4, onSession, ...given });
      open.push(connection);
      return { ...connection, reports };
    }

    it('the settings of the role are the limits, and statements need no transaction', async () => {
      const { db, reports } = connect(server.address.url);
      expect(await rowsOf(db)).toEqual([{ statement: '10s', lock: '3s', idle: '15s' }]);
      expect(reports).toEqual([{ limitedBy: 'role', isPooled: true }]);
      // A single statement is one transaction, without a message before or after it.
      const [alone] = await rowsOf(
        db,
        sql`select statement_timestamp() = transaction_timestamp() as is_alone`,
      );
      expect(alone).toEqual({ is_alone: true });
    });

    it('a role with missing or larger limits gets them in each transaction', async () => {
      const { db, reports } = connect(server.url);
      const limits = [{ statement: '10s', lock: '3s', idle: '15s' }];
      expect(await rowsOf(db)).toEqual(limits);
      expect(await withTransaction(db, (tx) => rowsOf(tx))).toEqual(limits);
      expect(reports).toEqual([{ limitedBy: 'transaction', isPooled: true }]);
      const strict = connect(server.address.url, { statementTimeoutMs: 5_000 });
      expect(await rowsOf(strict.db)).toEqual([{ statement: '5s', lock: '3s', idle: '15s' }]);
      expect(strict.reports).toEqual([{ limitedBy: 'transaction', isPooled: true }]);
    });

    it('the limits end statements, lock waits and idle transactions', async () => {
      const limits = { statementTimeoutMs: 1_000, lockTimeoutMs: 300, idleInTransactionMs: 500 };
      const { db } = connect(server.url, limits);
      expect(await codeOf(db.execute(sql`select pg_sleep(${30})`))).toBe('57014');
      expect(await codeOf(withTransaction(db, (tx) => tx.execute(sql`select pg_sleep(30)`)))).toBe('57014');
      await server.admin.query('begin; lock table locked');
      expect(await codeOf(db.execute(sql`select * from locked`))).toBe('55P03');
      expect(await codeOf(atomically(db, (h) => [h.select({ n: sql`n` }).from(sql`locked`)]))).toBe('55P03');
      await server.admin.query('rollback');
      const idle = withTransaction(db, async (tx) => {
        await rowsOf(tx);
        await server.admin.query('select pg_sleep(1.5)');
        await rowsOf(tx);
      });
      expect(await codeOf(idle)).not.toBe('none');
      expect(await rowsOf(db)).toEqual([{ statement: '1s', lock: '300ms', idle: '500ms' }]);
    });

    it('no session state is left for another client', async () => {
      const { db } = connect(server.url);
      await rowsOf(db);
      await withTransaction(db, (tx) => rowsOf(tx));
      await codeOf(db.execute(sql`select 1 / ${0}::int`));
      const psql = startPsql(bouncer.through(server.url));
      // Fails when the check is false.
      await psql.run(`select 1 / (current_setting('statement_timeout') = '0')::int;
        select 1 / (current_setting('lock_timeout') = '0')::int;
        select 1 / (select count(*) = 0 from pg_prepared_statements)::int;
        select 1 / (select count(*) = 0 from pg_cursors)::int;
        select 1 / (select count(*) = 0 from pg_locks where locktype = 'advisory')::int;`);
      await psql.end();
    });

    it('session state of another client does not count as the limits', async () => {
      const psql = startPsql(bouncer.through(server.url));
      await psql.run(`set statement_timeout = '9s'; set lock_timeout = '2s';
        set idle_in_transaction_session_timeout = '9s';`);
      const { db, reports } = connect(server.url);
      expect(await rowsOf(db)).toEqual([{ statement: '10s', lock: '3s', idle: '15s' }]);
      expect(reports).toEqual([{ limitedBy: 'transaction', isPooled: true }]);
      await psql.run('reset all;');
      await psql.end();
    });

    it('many concurrent clients on one session get their own answers, and changes are complete', async () => {
      const { db } = connect(server.url, { maxConnections: 10 });
      await server.admin.query('create table if not exists counted (n int primary key, by int)');
      const clients = Array.from({ length: 200 }, async (__, n) => {
        const [row] = await rowsOf(db, sql`select ${n}::int as n`);
        if (n % 3 === 0)
          await codeOf(db.execute(sql`insert into counted values (${n}, ${1 / 1}), (${n}, 2)`));
        if (n % 3 === 1) await db.execute(sql`insert into counted values (${n}, 1)`);
        return row?.n;
      });
      expect(await Promise.all(clients)).toEqual(clients.map((__, n) => n));
      const { rows } = await server.admin.query('select count(*)::int as n, min(n % 3) as kind from counted');
      expect(rows).toEqual([{ n: 67, kind: 1 }]);
      await server.admin.query('drop table counted');
    });
  });
});
