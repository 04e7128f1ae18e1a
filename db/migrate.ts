import { drizzle } from 'drizzle-orm/node-postgres';
import type pg from 'pg';
import { PgBoss } from 'pg-boss';
import { pgFault } from './errors.ts';
import { applySchema } from './migrator/apply.ts';
import { readSchemaFiles, type SchemaFiles } from './migrator/files.ts';
import { type SchemaState, schemaStateIn } from './migrator/state.ts';
import { connectSession, type SessionClient, sharesSessions } from './postgres/session.ts';
import { type DatabaseRoles, grantPrivileges } from './privileges.ts';

/** Why the schema is not brought up to this code, in one line that says what to do. */
export class SchemaRefusal extends Error {}

/** Key of the advisory lock that lets one process migrate at a time. */
const lock = 7_040_001;

/**
 * Reads the state of the schema; any of our roles may.
 * @throws errors of the driver as they are
 */
export const schemaStateOf = (url: string, files?: SchemaFiles): Promise<SchemaState> =>
  withClient(url, (client) => schemaStateIn(drizzle({ client }), files));

/**
 * Brings the schema, the job queue's included, up to this code and grants the roles what they use. Several processes
 * may do so at once. A role that does not own the tables may call this when the schema is current already.
 * @param url of the owner of the database, who needs no further privilege
 * @param files the schema of this code, or of another version
 * @throws SchemaRefusal when the schema cannot be upgraded to this code or may not be changed; errors of the driver as
 *   they are
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
    await client.query('select pg_advisory_lock($1)', [lock]);
    // A newer version may have migrated while this process waited for the lock.
    await upgradableState(client, files);
    // A statement that waits for a table lock blocks every statement behind it: it fails instead, and is tried again.
    await client.query(`set lock_timeout = '5s'`);
    await retryLocked(() => migrateOnce(client, roles, files)).catch(async (cause: unknown) => {
      throw pgFault(cause)?.code === '42501' ? await refusalOf(client, state, cause) : cause;
    });
  });
}

const refusals: Partial<Record<SchemaState, string>> = {
  newer: 'the database has a newer schema than this version of the portal knows; use the newer version',
  foreign:
    'the database was made by a development version before the first release, and its schema cannot be upgraded; use a new, empty database',
};

async function upgradableState(client: pg.Client, files: SchemaFiles): Promise<SchemaState> {
  const state = await schemaStateIn(drizzle({ client }), files);
  const refusal = refusals[state];
  if (refusal) throw new SchemaRefusal(refusal);
  return state;
}

/**
 * The queue has its own transactions and comes first: the journal of the migrations is committed together with the
 * privileges, as the last step, so that a schema that was interrupted is never current.
 */
async function migrateOnce(client: pg.Client, roles: DatabaseRoles, files: SchemaFiles): Promise<void> {
  try {
    await migrateQueue(client);
    await client.query('begin');
    await applySchema(client, files);
    await grantPrivileges(client, roles);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

const poolerRefusal =
  'the URL leads through a pooler of transactions, and migrations need a session of their own; name the server itself in DATABASE_OWNER_URL';

const attempts = 10;
const pauseMs = 1_000;

/** Tries again what could not get a lock in time; in between, the statements that it held up get on. */
async function retryLocked(work: () => Promise<void>, left = attempts): Promise<void> {
  try {
    await work();
  } catch (cause) {
    if (!['55P03', '40P01'].includes(pgFault(cause)?.code ?? '')) throw cause;
    if (left === 1)
      throw new SchemaRefusal(
        `the schema could not be changed, because other sessions held locks on its tables in ${attempts} attempts; end them`,
        { cause },
      );
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    await retryLocked(work, left - 1);
  }
}

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
  const why = `the schema is ${state === 'empty' ? 'missing' : state} and the role ${rows[0]?.role} may not change it`;
  const detail = pgFault(cause)?.message;
  return new SchemaRefusal(`${why} (${detail}); name the owner of the database in DATABASE_OWNER_URL`, {
    cause,
  });
}

/** Makes or updates the schema of pg-boss, which the sidecar's role may not. */
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
