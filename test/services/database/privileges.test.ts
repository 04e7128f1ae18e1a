import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { migrateDatabase, schemaStateOf } from '../../../db/migrate.ts';
import { defaultRoles } from '../../../db/roles.ts';
import { type FreshDatabase, freshDatabase, ownedDatabase, query } from '../../support/database/database.ts';
import { privilegesOf } from '../../support/privileges.ts';
import { requireService } from '../../support/services.ts';

const isServer = () => inject('postgresUrl') !== '';

let database: FreshDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.drop());

async function as<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return work(client).finally(() => client.end());
}

const stateOf = (url: string, statement: string): Promise<string | undefined> =>
  as(url, (client) => client.query(statement)).then(
    () => undefined,
    (error: pg.DatabaseError) => error.code,
  );

describe('the database privileges', () => {
  it.each([
    'portal',
    'sidecar',
  ] as const)('of the role of the %s are exactly the listed ones', async (process) => {
    const role = defaultRoles[process];
    const granted = await as(database.ownerUrl, (client) => privilegesOf(client, role));
    // pg-boss names partitions by the day of the installation.
    const lines = new Set(granted.map((line) => line.replace(/(queue_stats)_\d{8}/, '$1_<day>')));
    await expect(`${[...lines].join('\n')}\n`).toMatchFileSnapshot(`privileges-${process}.txt`);
  });

  it('of the owner are those of an ordinary database owner', async () => {
    const [attributes] = await as(database.ownerUrl, async (client) => {
      const { rows } = await client.query(
        `select rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls,
           (select count(*)::int from pg_auth_members where member = r.oid) as memberships,
           (select count(*)::int from pg_parameter_acl, aclexplode(paracl) where grantee = r.oid) as parameters
         from pg_roles r where rolname = current_user`,
      );
      return rows;
    });
    expect(attributes).toEqual({
      rolsuper: false,
      rolcreaterole: false,
      rolcreatedb: false,
      rolreplication: false,
      rolbypassrls: false,
      memberships: 0,
      parameters: 0,
    });
  });

  it.each(['url', 'sidecarUrl'] as const)('give the role of %s no way to define objects', async (which) => {
    for (const statement of [
      'create table public.mine (n int)',
      'create temporary table mine (n int)',
      'create schema mine',
      'create function mine() returns int language sql as $$ select 1 $$',
      'alter table sites add column mine int',
      'drop table sites',
      'truncate sites',
      'create index on sites (name)',
      'alter table audit_events disable trigger user',
      'create trigger mine before insert on sites for each row execute function audit_is_append_only()',
    ])
      expect([statement, await stateOf(database[which], statement)]).toEqual([statement, '42501']);
  });

  it('of the portal exclude the job queue tables', async () => {
    expect(await stateOf(database.url, 'select count(*) from pgboss.job')).toBe('42501');
    expect(await stateOf(database.sidecarUrl, 'select count(*) from pgboss.job')).toBeUndefined();
  });
});

describe('a function of the owner', () => {
  it('does not use an object of its caller in place of one of the owner', async () => {
    // An attacker with CREATE on some schema of the search path must not be able to shadow an object.
    const paths = await as(database.ownerUrl, async (client) => {
      const { rows } = await client.query(
        `select proname, proconfig from pg_proc where prosecdef and pronamespace = 'public'::regnamespace order by 1`,
      );
      return rows;
    });
    expect(paths.map(({ proname, proconfig: [search_path] }) => `${proname} ${search_path}`)).toEqual(
      [
        ...[
          'add_audit_checkpoint',
          'note_farm_part',
          'note_lock_out',
          'note_monitoring_record',
          'note_parts_of_farm',
        ],
        ...['note_removed_row', 'note_row'],
        ...['note_row_at_end', 'note_row_before', 'note_rows_of_snapshot', 'remove_outlived_audit'],
        ...['remove_outlived_checkpoints', 'seal_audit'],
      ].map((proname) => `${proname} search_path=pg_catalog, pg_temp`),
    );
  });
});

describe('a migration', () => {
  const server = requireService('postgresql', isServer());

  it('revokes unlisted privileges and grants missing ones', async () => {
    await as(database.ownerUrl, async (client) => {
      const before = await privilegesOf(client, defaultRoles.portal);
      await client.query(`grant truncate on sites to ${defaultRoles.portal}`);
      await client.query(`grant execute on function seal_audit(int) to ${defaultRoles.portal}`);
      await client.query(`revoke select on users from ${defaultRoles.portal}`);
      // The names of the roles are not given: they are stored already.
      await migrateDatabase(database.ownerUrl);
      expect(await privilegesOf(client, defaultRoles.portal)).toEqual(before);
    });
  });

  it('is not needed by a role without migration rights while the schema is current', async () => {
    expect(await schemaStateOf(database.url)).toBe('current');
    expect(await schemaStateOf(database.sidecarUrl)).toBe('current');
    await migrateDatabase(database.url);
  });

  server('on a server', () => {
    const name = `bare_${process.pid}`;
    afterAll(() => query(inject('postgresUrl'), `drop database if exists ${name} with (force)`));

    it('that a role may not run is refused with the role and the variable', async () => {
      const bare = await ownedDatabase(inject('postgresUrl'), name);
      await expect(migrateDatabase(bare.url)).rejects.toThrow(
        new RegExp(
          `^the schema is missing and the role ${defaultRoles.portal} must not .*DATABASE_OWNER_URL`,
        ),
      );
      expect(await schemaStateOf(bare.url)).toBe('empty');
      await migrateDatabase(bare.ownerUrl);
      expect(await schemaStateOf(bare.ownerUrl)).toBe('current');
    });
  });
});
