import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { migrateDatabase, schemaStateOf } from '../../../../db/migrate.ts';
import { firstFile, readSchemaFiles, type SchemaFiles } from '../../../../db/migrator/files.ts';
import { tableDigests } from '../../../../db/migrator/fingerprint.ts';
import { defaultRoles } from '../../../../db/roles.ts';
import { startEmbeddedDatabase } from '../../../../shared/tooling/embedded/database.ts';
import type { DatabaseAddress } from '../../../../shared/tooling/start/prepared-database.ts';
import { ownedDatabase, query } from '../../../support/database/database.ts';
import { requireService } from '../../../support/services.ts';

const isServer = () => inject('postgresUrl') !== '';
const all = readSchemaFiles();
const { adopted } = all;
/** A file of functions without the columns that later migrations add. */
function beforeLaterMigrations(file: SchemaFiles['sqlFiles'][number]): typeof file {
  const text = file.text.replace('e.actor', 'null::text');
  return text === file.text ? file : { ...file, text, digest: `${file.digest} before` };
}

/** Up to the first migration: the state at which databases are adopted. */
const files: SchemaFiles = {
  ...all,
  migrations: all.migrations.slice(0, 1),
  sqlFiles: all.sqlFiles.map(beforeLaterMigrations),
};
/** The schema of the program before the replacement, with the times of its migrations. */
const replaced: SchemaFiles = {
  ...files,
  migrations: adopted.migrations.map((hash, n) => ({ hash, at: 1_795_398_814_693 + n, statements: [] })),
};
/** The transactions that wrote the definitions of tables, indexes, functions and triggers. */
const definitions = `select 'class' as what, oid::text, xmin::text from pg_class
    where relnamespace = 'public'::regnamespace
  union all select 'function', oid::text, xmin::text from pg_proc where pronamespace = 'public'::regnamespace
  union all select 'trigger', oid::text, xmin::text from pg_trigger order by 1, 2`;
const journal = 'select hash, created_at::float8 as at from drizzle.__drizzle_migrations order by at';

describe('the digests in adopted.json', () => {
  it('are those of the tables that the first migration creates, on any version of PostgreSQL', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'aggregator-pglite-'));
    const embedded = await startEmbeddedDatabase({ folder });
    const client = new pg.Client({ connectionString: embedded.ownerUrl });
    try {
      const sqlFiles = files.sqlFiles.filter(({ name }) => name === firstFile);
      await migrateDatabase(embedded.ownerUrl, {}, { ...files, sqlFiles });
      await client.connect();
      expect(await tableDigests(client)).toEqual(adopted.tables);
    } finally {
      await client.end();
      await embedded.stop();
      await rm(folder, { recursive: true, force: true });
    }
  }, 120_000);
});

requireService('postgresql', isServer())('a database with the migrations that the first one replaces', () => {
  const base = `adopted_${randomUUID().replaceAll('-', '')}`;
  let database: DatabaseAddress & { name: string };
  let client: pg.Client;

  beforeAll(async () => {
    const { ownerUrl } = await ownedDatabase(inject('postgresUrl'), base);
    await migrateDatabase(ownerUrl, defaultRoles, files);
  });
  afterAll(() => query(inject('postgresUrl'), `drop database if exists ${base} with (force)`));

  beforeEach(async () => {
    const name = `adopted_${randomUUID().replaceAll('-', '')}`;
    database = { ...(await ownedDatabase(inject('postgresUrl'), name, base)), name };
    client = new pg.Client({ connectionString: database.ownerUrl });
    await client.connect();
    await recordReplaced(replaced.migrations.length);
  });
  afterEach(async () => {
    await client?.end();
    await query(inject('postgresUrl'), `drop database if exists ${database.name} with (force)`);
  });

  const rows = async (statement: string): Promise<Record<string, unknown>[]> =>
    (await client.query(statement)).rows;
  const migrate = (to = files) => migrateDatabase(database.ownerUrl, {}, to);
  const first = files.migrations.slice(0, 1).map(({ hash, at }) => ({ hash, at }));

  async function recordReplaced(count: number): Promise<void> {
    await client.query('delete from drizzle.__drizzle_migrations');
    for (const { hash, at } of replaced.migrations.slice(0, count))
      await client.query(
        `insert into drizzle.__drizzle_migrations (hash, created_at) values ('${hash}', ${at})`,
      );
  }

  it('is older for portal and sidecar, and current for a program with those migrations', async () => {
    expect(await schemaStateOf(database.url)).toBe('older');
    expect(await schemaStateOf(database.sidecarUrl)).toBe('older');
    expect(await schemaStateOf(database.url, replaced)).toBe('current');
  });

  it('gets the first migration in place of them, and no definition changes', async () => {
    const before = await rows(definitions);
    await migrate();
    expect(await schemaStateOf(database.sidecarUrl, files)).toBe('current');
    expect(await rows(journal)).toEqual(first);
    expect(await rows(definitions)).toEqual(before);
    await migrate(all);
    expect(await schemaStateOf(database.sidecarUrl)).toBe('current');
    expect(await rows(journal)).toHaveLength(all.migrations.length);
  });

  it('gets the first migration once by several processes', async () => {
    await Promise.all([migrate(), migrate(), migrate()]);
    expect(await rows(journal)).toEqual(first);
  });

  it('gets the later migrations and the changed files of db/sql as well', async () => {
    const [latest] = files.migrations.toReversed();
    const later = { hash: 'later', at: (latest?.at ?? 0) + 1, statements: ['create table later (id int)'] };
    await client.query(`update drizzle.sql_files set digest = 'other' where name = 'batches.sql'`);
    await migrate({ ...files, migrations: [...files.migrations, later] });
    expect(await rows('select id from later')).toEqual([]);
    const [file] = await rows(`select digest from drizzle.sql_files where name = 'batches.sql'`);
    expect(file?.digest).toBe(files.sqlFiles.find(({ name }) => name === 'batches.sql')?.digest);
  });

  it('may have its columns in another order', async () => {
    await client.query('alter table alert_mails drop column cause');
    await client.query('alter table alert_mails add column cause text collate "C" not null');
    await migrate();
    expect(await rows(journal)).toEqual(first);
  });

  it('is refused by a program with those migrations afterwards', async () => {
    await migrate();
    expect(await schemaStateOf(database.sidecarUrl, replaced)).toBe('newer');
    await expect(migrate(replaced)).rejects.toThrow(/^the schema of the database is newer than this version/);
    expect(await rows(journal)).toEqual(first);
  });

  it.each([
    ['without an index', 'drop index users_name', 'users'],
    ['with a column of another type', 'alter table alert_mails alter records type bigint', 'alert_mails'],
  ])('is refused %s, with the name of the table', async (_, change, table) => {
    await client.query(change);
    const before = await rows(journal);
    const message = new RegExp(
      `^the database cannot be upgraded, because these tables differ from those that its migrations create: ${table}; correct them .*$`,
    );
    await expect(migrate()).rejects.toThrow(message);
    expect(await rows(journal)).toEqual(before);
    expect(await schemaStateOf(database.ownerUrl)).toBe('older');
  });

  it('has another digest after any change of a definition', async () => {
    const before = await tableDigests(client);
    for (const change of [
      'alter table alerts alter message drop not null',
      `alter table alerts alter message set default ''`,
      'alter table alerts alter message type text collate "C"',
      'alter table alerts alter message type varchar(9)',
      'alter table alerts drop message',
      'alter table alerts add added text',
      'alter table alerts add column added int generated always as identity',
      'alter table alerts drop constraint alerts_pkey',
      `alter table alerts add constraint added check (message <> '') not valid`,
      'create index added on alerts (message)',
      'drop index alerts_cause; create index alerts_cause on alerts (cause, at desc)',
      'drop table alerts',
    ]) {
      await client.query('begin');
      await client.query(change);
      const { alerts, ...others } = await tableDigests(client);
      await client.query('rollback');
      const { alerts: original, ...otherOriginals } = before;
      expect([change, alerts]).not.toEqual([change, original]);
      expect(others).toEqual(otherOriginals);
    }
  });

  it.each([1, replaced.migrations.length - 1])('is refused with only %i of them', async (count) => {
    await recordReplaced(count);
    expect(await schemaStateOf(database.sidecarUrl)).toBe('partial');
    await expect(migrate()).rejects.toThrow(
      /^the database has only some of the migrations .*; first run npm run db:migrate of the last version with \S+, or use a new, empty database$/,
    );
    expect(await rows(journal)).toHaveLength(count);
  });

  it('is refused with one that this program does not have', async () => {
    await client.query(
      `insert into drizzle.__drizzle_migrations (hash, created_at) values ('other', 1795702545679)`,
    );
    expect(await schemaStateOf(database.sidecarUrl)).toBe('foreign');
  });
});
