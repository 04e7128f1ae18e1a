import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { PgBoss } from 'pg-boss';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrateDatabase } from '../../../db/migrate.ts';
import { type EmbeddedDatabase, startEmbeddedDatabase } from '../../../shared/tooling/embedded/database.ts';

const roles = ['aggregator_owner', 'aggregator_portal', 'aggregator_sidecar'];

/** Runs statements one after the other on a connection of its own. @returns rows, or the SQLSTATE of an error */
async function run(url: string, ...statements: string[]): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const outcomes: unknown[] = [];
  for (const statement of statements) {
    const outcome = client.query({ text: statement, rowMode: 'array' }).then(
      (result) => [result].flat().at(-1)?.rows ?? [],
      ({ code }: pg.DatabaseError) => code,
    );
    outcomes.push(await outcome);
  }
  await client.end();
  return outcomes;
}

const attributes = `select rolname, rolcanlogin, rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls
  from pg_roles where rolname = any('{${roles}}') order by 1`;
const privileges = `select datdba::regrole::text, datacl::text, nspowner::regrole::text, nspacl::text
  from pg_database, pg_namespace where datname = 'postgres' and nspname = 'public'`;
/** Objects that belong to a role, by kind, without those of extensions. */
const ownersOf = `
  with ours as (
    select 'pg_class'::regclass as kind, oid, relowner as owned_by, relnamespace as place from pg_class
    union all select 'pg_proc'::regclass, oid, proowner, pronamespace from pg_proc
    union all select 'pg_type'::regclass, oid, typowner, typnamespace from pg_type
    union all select 'pg_statistic_ext'::regclass, oid, stxowner, stxnamespace from pg_statistic_ext
    union all select 'pg_namespace'::regclass, oid, nspowner, oid from pg_namespace)
  select owned_by::regrole::text, array_agg(distinct kind::text order by kind::text)::text[] from ours
  join pg_namespace n on n.oid = place and nspname in ('public', 'drizzle', 'pgboss')
  where not exists (select from pg_depend d where classid = kind and objid = ours.oid and deptype = 'e')
    and not (nspname = 'public' and kind = 'pg_namespace'::regclass)
  group by 1`;

describe('the roles of the embedded database', () => {
  let folder: string;
  let database: EmbeddedDatabase;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'embedded-'));
    database = await startEmbeddedDatabase({ folder });
  });
  afterAll(async () => {
    await database?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('have no attribute but LOGIN; the first owns the database, and PUBLIC can only connect and read the catalogue', async () => {
    expect(await run(database.superuserUrl, attributes)).toEqual([roles.map((name) => [name, true, false])]);
    expect(await run(database.superuserUrl, privileges)).toEqual([
      [
        [
          'aggregator_owner',
          '{=c/aggregator_owner,aggregator_owner=CTc/aggregator_owner}',
          'pg_database_owner',
          '{pg_database_owner=UC/pg_database_owner,=U/pg_database_owner}',
        ],
      ],
    ]);
  });

  it('allow the owner to create the objects of a schema, and the others none', async () => {
    const outcomes = await run(
      database.ownerUrl,
      ...['create extension pg_trgm', 'create schema extra', 'create table public.things (name text)'],
      ...[
        'create index on things using gin (name gin_trgm_ops)',
        'create temporary table t (n int)',
        'drop table t',
      ],
      ...[`select similarity('farm', 'farms') > 0.5`, 'drop schema extra', 'create role other'],
    );
    expect(outcomes).toEqual([...Array.from({ length: 6 }, () => []), [[true]], [], '42501']);
    for (const url of [database.url, database.sidecarUrl]) {
      const refused = ['create table mine (n int)', 'create temporary table t (n int)', 'create schema mine'];
      const others = [
        'select * from things',
        'drop table things',
        'alter table things owner to current_user',
      ];
      const codes = await run(url, ...refused, ...others, 'create extension citext', 'vacuum things');
      expect(codes.filter((code) => code !== '42501')).toEqual(['0A000', []]);
    }
  });

  it('cannot become the superuser of the engine by any client request', async () => {
    const client = new pg.Client({ connectionString: database.ownerUrl });
    await client.connect();
    const whoAmI =
      'select session_user, current_user, (select rolsuper from pg_roles where rolname = current_user)';
    const become = `set session authorization postgres`;
    const attempts = [
      ...[
        become,
        'reset session authorization',
        'set role postgres',
        'set local session authorization postgres',
      ],
      `do $$ begin execute reverse('sergtsop noitazirohtua noisses tes'); end $$`,
      `do $$ begin perform 1 / 0; exception when others then ${become}; end $$`,
      `create function f() returns text language sql set session_authorization = 'postgres' as 'select session_user::text'`,
      `create function f() returns void language plpgsql security definer as $$ begin ${become}; end $$; select f()`,
      'select pg_terminate_backend(pg_backend_pid())',
      `create function set_config(text, text, boolean) returns text language sql as 'create role evil superuser; select $2'`,
      `set search_path = public, pg_catalog`,
      `alter role aggregator_owner superuser`,
      `alter role aggregator_owner set session_authorization = 'postgres'`,
      `update pg_settings set setting = 'postgres' where name = 'session_authorization'`,
    ];
    const afterErrors = ['begin', 'savepoint s', 'select 1 / 0', 'rollback to s', become, 'rollback', become];
    for (const attempt of [afterErrors, ...attempts.map((statement) => [statement])]) {
      for (const statement of attempt) await client.query(statement).catch(() => undefined);
      await client.query('rollback');
      // Another client with other settings: the engine changes its state as the superuser.
      expect(await run(database.url, `set work_mem = '5MB'`)).toEqual([[]]);
      const { rows } = await client.query({ text: whoAmI, rowMode: 'array' });
      expect(rows, attempt[0]).toEqual([['aggregator_owner', 'aggregator_owner', false]]);
    }
    const bound = client.query('select pg_catalog.set_config($1, $2, false)', [
      'session_authorization',
      'postgres',
    ]);
    await expect(bound).rejects.toMatchObject({ code: '42501' });
    await client.end();
    expect(await run(database.superuserUrl, `select from pg_roles where rolname = 'evil'`)).toEqual([[]]);
  });
});

describe('an embedded database of an earlier version', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'embedded-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Schema and queue created by the superuser, without the roles of the portal. */
  async function makeOld(): Promise<void> {
    const database = await startEmbeddedDatabase({ folder });
    await migrateDatabase(database.superuserUrl);
    await withBoss(database.superuserUrl, async (boss) => void (await boss.createQueue('kept')));
    const old = [
      "create type colour as enum ('red')",
      'create domain positive as int check (value > 0)',
      'create type pair as (a int, b int)',
      'create view public.names as select name from sites',
      'create materialized view public.more as select 1 as n',
      'create sequence loose',
      'create statistics both_columns on id, name from sites',
      "create procedure nothing(a int, b text) language sql as 'select 1'",
      'create aggregate total(int) (sfunc = int4pl, stype = int)',
      'alter database postgres owner to postgres',
      'grant create, temporary on database postgres to public',
      'grant create on schema public to public',
      ...roles.map((role) => `drop role ${role}`),
    ];
    expect(await run(database.superuserUrl, ...old)).toEqual(old.map(() => []));
    await database.stop();
  }

  async function withBoss(url: string, work: (boss: PgBoss) => Promise<void>): Promise<void> {
    const boss = new PgBoss({ connectionString: url, schema: 'pgboss', supervise: false, schedule: false });
    boss.on('error', (error) => expect.unreachable(String(error)));
    await boss.start();
    await work(boss).finally(() => boss.stop({ graceful: false }));
  }

  it('is transferred to the owner once, when it is opened', async () => {
    await makeOld();
    let database = await startEmbeddedDatabase({ folder });
    expect(await run(database.superuserUrl, attributes)).toEqual([roles.map((name) => [name, true, false])]);
    expect(await run(database.superuserUrl, ownersOf)).toEqual([
      [['aggregator_owner', ['pg_class', 'pg_namespace', 'pg_proc', 'pg_statistic_ext', 'pg_type']]],
    ]);
    await migrateDatabase(database.ownerUrl);
    await withBoss(database.ownerUrl, async (boss) => {
      expect(await boss.getQueue('kept')).toMatchObject({ name: 'kept' });
      await boss.send('kept', { n: 1 });
      expect(await boss.fetch('kept')).toMatchObject([{ data: { n: 1 } }]);
    });
    const written = `select (select array_agg(xmin::text order by oid) from pg_authid)::text,
      (select array_agg(xmin::text order by oid) from pg_database)::text,
      (select sum(xmin::text::bigint * oid::bigint) from pg_class where relkind in ('r', 'p', 'v', 'm', 'S')),
      (select sum(xmin::text::bigint * oid::bigint) from pg_proc)`;
    const before = await run(database.superuserUrl, 'vacuum', written);
    await database.stop();
    database = await startEmbeddedDatabase({ folder });
    expect((await run(database.superuserUrl, written))[0]).toEqual(before[1]);
    await database.stop();
  }, 60_000);
});
