import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { migrateDatabase, schemaStateOf } from '../../../db/migrate.ts';
import { readSchemaFiles, readSqlFiles } from '../../../db/migrator/files.ts';
import { SchemaRefusal } from '../../../db/migrator/refusal.ts';
import type { DatabaseAddress } from '../../../shared/tooling/start/prepared-database.ts';
import { ownedDatabase, query } from '../../support/database/database.ts';
import { definedBy } from '../../support/database/defined-objects.ts';
import { copySchema, type SchemaCopy } from '../../support/database/schema-copy.ts';
import { requireService } from '../../support/services.ts';

const isServer = () => inject('postgresUrl') !== '';

/** Functions and triggers of the tables, without those of extensions and of foreign keys. */
const functions = `select proname as name, pg_get_functiondef(p.oid) as definition from pg_proc p
  where pronamespace = 'public'::regnamespace
    and not exists (select from pg_depend where objid = p.oid and deptype = 'e') order by 1`;
const triggers = `select tgname as name, tgrelid::regclass::text as "table", pg_get_triggerdef(t.oid) as definition
  from pg_trigger t join pg_class c on c.oid = tgrelid
  where relnamespace = 'public'::regnamespace and not tgisinternal order by 1, 2`;
/** The transaction that wrote each row of the catalogue and of the migration tables. */
const written = `select 'class' as what, oid::text as id, xmin::text from pg_class
    where relnamespace = any ('{public,drizzle,pgboss}'::regnamespace[])
  union all select 'function', oid::text, xmin::text from pg_proc where pronamespace = 'public'::regnamespace
  union all select 'trigger', oid::text, xmin::text from pg_trigger
  union all select 'migration', hash, xmin::text from drizzle.__drizzle_migrations
  union all select 'file', name, xmin::text from drizzle.sql_files
  order by 1, 2`;

requireService('postgresql', isServer())('the migration of a database', () => {
  let address: DatabaseAddress;
  let client: pg.Client;
  let copy: SchemaCopy;
  let name: string;

  beforeEach(async () => {
    name = `m_${randomUUID().replaceAll('-', '')}`;
    address = await ownedDatabase(inject('postgresUrl'), name);
    client = new pg.Client({ connectionString: address.ownerUrl });
    await client.connect();
    copy = await copySchema();
  });
  afterEach(async () => {
    await client?.end();
    await copy?.remove();
    await query(inject('postgresUrl'), `drop database if exists ${name} with (force)`);
  });

  const migrate = (files = copy.read()) => migrateDatabase(address.ownerUrl, {}, files);
  const stateFor = (files = copy.read()) => schemaStateOf(address.ownerUrl, files);
  const rows = async (statement: string): Promise<Record<string, string>[]> =>
    (await client.query(statement)).rows;
  const definitions = async () => [...(await rows(functions)), ...(await rows(triggers))];
  /** Every object of the schema with its definition, to compare two databases or two moments. */
  const shape = async () => ({
    definitions: await definitions(),
    columns: await rows(
      `select table_schema, table_name, column_name, data_type, is_nullable, column_default
       from information_schema.columns where table_schema in ('public', 'drizzle') order by 1, 2, 3`,
    ),
    applied: await rows(`select hash from drizzle.__drizzle_migrations order by id`),
    files: await rows(`select name, digest, stamp from drizzle.sql_files order by name`),
  });

  it('creates every function and trigger of db/sql', async () => {
    await migrate();
    const defined = readSqlFiles().map(({ text }) => definedBy(text));
    const inDatabase = { functions: await rows(functions), triggers: await rows(triggers) };
    expect(inDatabase.functions.map((row) => row.name)).toEqual(
      defined.flatMap((file) => file.functions).toSorted(),
    );
    const named = (one: { name?: string; table?: string }) => `${one.name} on ${one.table}`;
    // The triggers of changes are created by a loop over the tables.
    const [ofChanges, others] = [true, false].map((isNoted) =>
      inDatabase.triggers.map(named).filter((one) => one.startsWith('noted_') === isNoted),
    );
    const declared = defined.flatMap((file) => file.triggers.map(named));
    expect(others?.toSorted()).toEqual(declared.filter((one) => !one.startsWith('noted_')).toSorted());
    expect(ofChanges).toEqual(expect.arrayContaining(declared.filter((one) => one.startsWith('noted_'))));
    expect(ofChanges?.length).toBeGreaterThan(40);
    expect(inDatabase.triggers.length).toBeGreaterThan(10);
  });

  it('writes nothing the second time', async () => {
    await migrate();
    const before = await rows(written);
    await migrate();
    expect(await rows(written)).toEqual(before);
  });

  it('applies a changed file of db/sql, and no other one', async () => {
    await migrate();
    const before = await rows(written);
    await copy.edit('batches.sql', (text) => text.replace('is not true', 'is distinct from true'));
    expect(await stateFor()).toBe('older');
    await migrate();
    expect(await stateFor()).toBe('current');
    const after = await rows(written);
    const changed = after.filter(({ what, id, xmin }) =>
      before.some((row) => row.what === what && row.id === id && row.xmin !== xmin),
    );
    expect(changed.map(({ what, id }) => (what === 'file' ? id : what))).toEqual(['batches.sql', 'function']);
    const [must] = await rows(`select prosrc from pg_proc where proname = 'must'`);
    expect(must?.prosrc).toContain('is distinct from true');
  });

  it('applies added files, and removes deleted ones from the list', async () => {
    await migrate();
    await copy.edit('added.sql', () => 'create or replace view added as select 1 as one;');
    await copy.edit('exported-chunks.sql', () => null);
    await copy.stamp();
    expect(await stateFor()).toBe('older');
    await migrate();
    expect(await rows('select one from added')).toEqual([{ one: 1 }]);
    expect(
      await rows(`select name from drizzle.sql_files where name in ('added.sql', 'exported-chunks.sql')`),
    ).toEqual([{ name: 'added.sql' }]);
    expect(await stateFor()).toBe('current');
  });

  it('upgrades an older state of db/sql to the schema of a new database', async () => {
    for (const { name: file } of readSqlFiles()) await copy.edit(file, (text) => `${text}\n-- older\n`);
    await copy.edit('groups.sql', (text) => text.replace(/^drop trigger.*?;$.*?;$/ms, ''));
    const older = { ...copy.read(), stampedAt: readSchemaFiles().stampedAt - 1 };
    await migrate(older);
    expect((await rows(triggers)).map((row) => row.name)).not.toContain('delete_group_parts');
    expect(await stateFor(readSchemaFiles())).toBe('older');
    await migrate(readSchemaFiles());
    const upgraded = await shape();
    await client.end();
    await query(inject('postgresUrl'), `drop database ${name} with (force)`);
    address = await ownedDatabase(inject('postgresUrl'), name);
    client = new pg.Client({ connectionString: address.ownerUrl });
    await client.connect();
    await migrate(readSchemaFiles());
    expect(upgraded).toEqual(await shape());
  });

  it('replaces triggers that are deferred on rows which a migration has written', async () => {
    await migrate();
    await client.query(
      `insert into sites (id, name, name_key, uri) values (gen_random_uuid(), 'Site', 'site', 'site')`,
    );
    const version = `select version from fleet_versions where name = 'entitlement'`;
    const [before] = await rows(version);
    await copy.addMigration('0001_renamed', [`update sites set name = 'Renamed'`]);
    await copy.edit('fleet-versions.sql', (text) => text.replace('of name, uri,', 'of uri, name,'));
    await copy.stamp();
    await migrate();
    expect(await rows('select name from sites')).toEqual([{ name: 'Renamed' }]);
    expect(Number((await rows(version))[0]?.version)).toBe(Number(before?.version) + 1);
  });

  it('replaces only the trigger whose text has changed', async () => {
    await migrate();
    const before = await rows(written);
    await copy.edit('fleet-versions.sql', (text) => text.replace('of name, uri,', 'of uri, name,'));
    await copy.edit('changes.sql', (text) =>
      text.replace("'system_parameter', 'name', ''", "'system_parameter', 'name', 'value'"),
    );
    await copy.stamp();
    await migrate();
    const same = new Set(before.map((row) => JSON.stringify(row)));
    const changed = (await rows(written)).filter((row) => !same.has(JSON.stringify(row)));
    const [names] =
      await rows(`select string_agg(tgrelid::regclass || '.' || tgname, ' ' order by tgrelid::regclass::text) as names
      from pg_trigger where oid = any ('{${changed.filter(({ what }) => what === 'trigger').map(({ id }) => id)}}')`);
    expect(names?.names).toBe('sites.sites_version system_parameters.noted_update');
    expect(changed.filter(({ what }) => what === 'function')).toEqual([]);
  });

  describe('of an index', () => {
    const index = 'CREATE UNIQUE INDEX "sites_uri" ON "sites" USING btree ("uri","name_key")';
    const site = (name: string) =>
      `insert into sites (id, name, name_key, uri) values (gen_random_uuid(), '${name}', '${name}', '${name}')`;
    const indexes = () =>
      rows(`select indexrelid::regclass::text as name, indisvalid as valid, pg_get_indexdef(indexrelid) as text
        from pg_index where indrelid = 'sites'::regclass and indexrelid::regclass::text like 'sites_uri%'`);

    it('lets others write the table meanwhile', async () => {
      await migrate();
      const writer = new pg.Client({ connectionString: address.ownerUrl });
      await writer.connect();
      try {
        await writer.query(`begin; ${site('first')}`);
        await copy.addMigration('0001_index', ['DROP INDEX "sites_uri"', index]);
        const migration = migrate();
        const waits = `select from pg_stat_activity where query like 'CREATE UNIQUE INDEX concurrently%'
          and datname = current_database() and wait_event_type = 'Lock'`;
        while ((await rows(waits)).length === 0) await delay(20);
        expect((await indexes()).map(({ name }) => name).toSorted()).toEqual(['sites_uri', 'sites_uri_next']);
        await client.query(`set lock_timeout = '1s'`);
        await client.query(site('second'));
        await writer.query('commit');
        await migration;
        const [built, ...others] = await indexes();
        expect(built).toMatchObject({ name: 'sites_uri', valid: true });
        expect(built?.text).toContain('(uri, name_key)');
        expect(others).toEqual([]);
      } finally {
        await writer.end();
      }
    });

    it('that could not be built is built by the next attempt', async () => {
      await migrate();
      for (const name of ['first', 'second']) await client.query(site(name));
      await client.query(`update sites set comments = 'same'`);
      await copy.addMigration('0001_index', ['CREATE UNIQUE INDEX "sites_comments" ON "sites" ("comments")']);
      await expect(migrate()).rejects.toMatchObject({ code: '23505' });
      await client.query('update sites set comments = name');
      await migrate();
      expect(
        await rows(`select indisvalid from pg_index where indexrelid = 'sites_comments'::regclass`),
      ).toEqual([{ indisvalid: true }]);
      expect(await stateFor()).toBe('current');
    });
  });

  describe('interrupted', () => {
    it.each([
      ['by an error', 'select 1 / count(*) from sites', '22012'],
      [
        'by the end of its connection',
        `select pg_terminate_backend(pg_backend_pid()) where not exists (select from sites)`,
        '57P01',
      ],
    ])('%s continues with the step that failed', async (_, statement, code) => {
      await migrate();
      const before = await definitions();
      await copy.addMigration('0001_added', [
        'create table added (id int)',
        'alter table sites add added int',
        statement,
      ]);
      await copy.edit('batches.sql', (text) => text.replace('is not true', 'is distinct from true'));
      await copy.stamp();
      await expect(migrate()).rejects.toMatchObject({ code });
      expect(await definitions()).toEqual(before);
      expect(await stateFor()).toBe('older');
      expect(await stateFor(readSchemaFiles())).toBe('newer');
      await client.query(
        `insert into sites (id, name, name_key, uri) values (gen_random_uuid(), 'Site', 'site', 'site')`,
      );
      await migrate();
      expect(await stateFor()).toBe('current');
      expect(await rows('select id from added')).toEqual([]);
      expect(await definitions()).not.toEqual(before);
      expect(await rows(`select file from drizzle.sql_statements where file not like '%.sql'`)).toEqual([]);
    });

    it('in an empty database continues as well', async () => {
      await copy.edit('required-rows.sql', (text) => `${text}\nselect 1 / 0;\n`);
      await expect(migrate()).rejects.toMatchObject({ code: '22012' });
      expect(await stateFor(readSchemaFiles())).toBe('older');
      await migrate(readSchemaFiles());
      expect(await stateFor(readSchemaFiles())).toBe('current');
    });
  });

  describe('by several processes', () => {
    it('happens once under concurrency', async () => {
      await Promise.all([migrate(), migrate(), migrate()]);
      expect(await rows('select count(*)::int as applied from drizzle.__drizzle_migrations')).toEqual([
        { applied: copy.read().migrations.length },
      ]);
      await copy.edit('batches.sql', (text) => `${text}\n-- changed\n`);
      await copy.stamp();
      await Promise.all([migrate(), migrate(), migrate()]);
      expect(await stateFor()).toBe('current');
    });

    it('of two versions is refused to the older one, also when it waited for the newer one', async () => {
      await migrate(readSchemaFiles());
      await copy.edit('batches.sql', (text) => text.replace('is not true', 'is distinct from true'));
      await copy.stamp();
      await client.query('select pg_advisory_lock(7040001)');
      const older = migrate(readSchemaFiles()).then(
        () => undefined,
        (error: unknown) => error,
      );
      await waitForLock();
      await client.query(`update drizzle.sql_files set stamp = ${copy.read().stampedAt}`);
      await client.query('select pg_advisory_unlock(7040001)');
      expect(await older).toBeInstanceOf(SchemaRefusal);
      expect(String(await older)).toContain('is newer than this version');
    });

    async function waitForLock(): Promise<void> {
      const waiting = `select from pg_stat_activity where application_name = 'aggregator-migrate'
        and datname = current_database() and query like 'select pg_try_advisory_lock%'`;
      while ((await rows(waiting)).length === 0) await delay(20);
    }
  });

  describe('with another version', () => {
    it('is refused to an older program, after a change of db/sql alone as well', async () => {
      await copy.edit('batches.sql', (text) => `${text}\n-- changed\n`);
      await copy.stamp();
      await migrate();
      expect(await stateFor(readSchemaFiles())).toBe('newer');
      const before = await rows(written);
      await expect(migrate(readSchemaFiles())).rejects.toThrow(
        /^the schema of the database is newer than this version/,
      );
      expect(await rows(written)).toEqual(before);
    });

    it('is refused after a migration that the program does not have', async () => {
      await copy.addMigration('0001_added', ['create table added (id int)']);
      await migrate();
      expect(await stateFor(readSchemaFiles())).toBe('newer');
      await expect(migrate(readSchemaFiles())).rejects.toThrow(/^the schema of the database is newer/);
    });

    it('is refused for a database from before the first release', async () => {
      await client.query('create schema drizzle');
      await client.query(
        'create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)',
      );
      await client.query(
        `insert into drizzle.__drizzle_migrations (hash, created_at)
         values ('first', 1795252019639), ('last', 1795387439078)`,
      );
      await client.query('create table users (id uuid primary key)');
      expect(await stateFor()).toBe('foreign');
      const tables = `select table_schema, table_name from information_schema.tables
        where table_schema not in ('pg_catalog', 'information_schema') order by 1, 2`;
      const before = await rows(tables);
      await expect(migrate()).rejects.toThrow(
        /^the schema of the database is that of a development version .*use a new, empty database$/,
      );
      expect(await rows(tables)).toEqual(before);
    });
  });
});
