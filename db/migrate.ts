import { drizzle } from 'drizzle-orm/node-postgres';
import type pg from 'pg';
import { PgBoss } from 'pg-boss';
import { pgFault } from './errors.ts';
import { isAdoptable } from './migrator/adoption.ts';
import { applySchema, completeSchema } from './migrator/apply.ts';
import { readSchemaFiles, type SchemaFiles } from './migrator/files.ts';
import { becomeOnlyMigration, inTransaction, withLockTimeout } from './migrator/locks.ts';
import { SchemaRefusal } from './migrator/refusal.ts';
import { type SchemaState, schemaStateIn } from './migrator/state.ts';
import { setFormats } from './postgres/session/formats.ts';
import { connectSession, type SessionClient, sharesSessions } from './postgres/session/session.ts';
import { type DatabaseRoles, grantPrivileges } from './privileges.ts';

/**
 * Reads the state of the schema. Every role of the portal has the privilege to do so.
 * @throws errors of the driver, unchanged
 */
export const schemaStateOf = (url: string, files?: SchemaFiles): Promise<SchemaState> =>
  withClient(url, (client) => schemaStateIn(drizzle({ client }), files));

/**
 * Migrates the schema and the job queue to this version, and grants the roles their privileges. Portals of the previous
 * version may serve requests meanwhile. Concurrent calls are safe. If the schema is current already, the role need not own the tables.
 * @param url connects as the owner of the database, who needs no further privileges
 * @param files default: the schema of this version
 * @throws SchemaRefusal if the schema cannot be upgraded or the role must not change it; errors of the driver,
 *   unchanged
 */
export async function migrateDatabase(
  url: string,
  roles: DatabaseRoles = {},
  files: SchemaFiles = readSchemaFiles(),
): Promise<void> {
  await withClient(url, async (client) => {
    const state = await upgradableState(client, files);
    const isShared = await sharesSessions(client, url);
    if (state === 'current' && (isShared || !(await isOwnedBy(client)))) return;
    if (isShared) throw new SchemaRefusal(poolerRefusal);
    // Again, because a pooler of sessions may have rejected the start-up options.
    await client.query(setFormats('session'));
    await becomeOnlyMigration(client);
    // A newer version may have migrated while this process waited for the lock.
    await upgradableState(client, files);
    // Refuses before anything is changed. The job queue is migrated in transactions of its own.
    await isAdoptable(client, files);
    await migrateIn(client, roles, files).catch(async (cause: unknown) => {
      throw pgFault(cause)?.code === '42501' ? await refusalOf(client, state, cause) : cause;
    });
  });
}

const refusals: Partial<Record<SchemaState, string>> = {
  newer: 'the schema of the database is newer than this version of the portal; use the newer version',
  partial:
    'the database has only some of the migrations that 0000_initial replaces; first run npm run db:migrate of the last version with db/migrations/0013_provider_grants.sql, or use a new, empty database',
  foreign:
    'the schema of the database is that of a development version before the first release and cannot be upgraded; use a new, empty database',
};

async function upgradableState(client: pg.Client, files: SchemaFiles): Promise<SchemaState> {
  const state = await schemaStateIn(drizzle({ client }), files);
  const refusal = refusals[state];
  if (refusal) throw new SchemaRefusal(refusal);
  return state;
}

/** The schema is `older` until the last transaction, so that an interrupted migration never counts as complete. */
async function migrateIn(client: pg.Client, roles: DatabaseRoles, files: SchemaFiles): Promise<void> {
  await withLockTimeout(client, () => migrateQueue(client));
  await applySchema(client, files);
  await inTransaction(client, async () => {
    await completeSchema(client, files);
    await grantPrivileges(client, roles);
  });
}

const poolerRefusal =
  'the URL connects through a transaction pooler, and migrations require a session; set DATABASE_OWNER_URL to the address of the server';

async function withClient<T>(url: string, work: (client: SessionClient) => Promise<T>): Promise<T> {
  const client = await connectSession(url, 'aggregator-migrate');
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function isOwnedBy(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ owned: boolean }>(
    `select pg_has_role(relowner, 'USAGE') as owned from pg_class where oid = 'public.audit_events'::regclass`,
  );
  return rows[0]?.owned === true;
}

async function refusalOf(client: pg.Client, state: SchemaState, cause: unknown): Promise<Error> {
  const { rows } = await client.query<{ role: string }>('select current_user as role');
  const why = `the schema is ${state === 'empty' ? 'missing' : state} and the role ${rows[0]?.role} must not change it`;
  const detail = pgFault(cause)?.message;
  return new SchemaRefusal(
    `${why} (${detail}); set DATABASE_OWNER_URL to the URL of the owner of the database`,
    {
      cause,
    },
  );
}

/** Creates or migrates the schema of pg-boss. The role of the sidecar has no privilege to do so. */
async function migrateQueue(client: pg.Client): Promise<void> {
  const boss = new PgBoss({
    db: { executeSql: (text, values) => client.query(text, values) },
    supervise: false,
    schedule: false,
  });
  const failure = new Promise<never>((_, reject) => boss.once('error', reject));
  try {
    await Promise.race([boss.start(), failure]);
  } finally {
    await boss.stop({ graceful: false });
  }
}
