import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { inject } from 'vitest';
import { defaultRoles } from '../../../db/roles.ts';
import { addressIn } from '../../../shared/tooling/start/created-database.ts';
import type { DatabaseAddress } from '../../../shared/tooling/start/prepared-database.ts';

/** A migrated database for one test file, with the roles of a deployment: portal, owner, and sidecar. */
export type FreshDatabase = DatabaseAddress & {
  /** A connection as the administrator of the server, who can see other sessions (`pg_stat_activity`). */
  superuserUrl: string;
  drop(): Promise<void>;
};

/** The migrated database that every fresh one is a copy of. */
export const templateName = 'template_app';

/**
 * A copy of the migrated template: a database of the shared server (about 0.1 s), or a separate embedded database
 * where PostgreSQL is not installed. `drop` ends the connections that are still open.
 */
export async function freshDatabase(): Promise<FreshDatabase> {
  const admin = inject('postgresUrl');
  const template = inject('embeddedTemplate');
  if (template !== null) return copyEmbedded(template);
  const name = `t_${randomUUID().replaceAll('-', '')}`;
  const address = await clone(admin, name);
  return { ...address, superuserUrl: databaseUrl(admin, name), drop: () => drop(admin, name) };
}

/** @returns `admin` with another database name */
export const databaseUrl = (admin: string, name: string): string =>
  Object.assign(new URL(admin), { pathname: name }).href;

/** Runs one statement on a separate connection. */
export async function query(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

/**
 * Drops the database. A connection that was just closed can still exist on the server, and its error would have no
 * listener, so connections get a moment to end before they are terminated.
 */
async function drop(admin: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: admin });
  await client.connect();
  try {
    for (let looks = 0; looks < 10; looks++) {
      const { rowCount } = await client.query('select from pg_stat_activity where datname = $1', [name]);
      if (rowCount === 0) break;
      await delay(20);
    }
    await client.query(`drop database if exists ${name} with (force)`);
  } finally {
    await client.end();
  }
}

/** PostgreSQL itself waits five seconds for a template in use (for example by an autovacuum worker) before it refuses. */
async function clone(admin: string, name: string, attempts = 3): Promise<DatabaseAddress> {
  try {
    return await ownedDatabase(admin, name, templateName);
  } catch (error) {
    if (attempts === 1 || !isInUse(error)) throw error;
    return clone(admin, name, attempts - 1);
  }
}

/**
 * Creates a database of the existing owner. A copy of a template has the privileges inside the template, but not
 * those on the database.
 */
export async function ownedDatabase(
  admin: string,
  name: string,
  template = 'template1',
): Promise<DatabaseAddress> {
  const { owner, portal, sidecar } = defaultRoles;
  await query(admin, `create database ${name} template ${template} owner ${owner}`);
  await query(admin, `revoke all on database ${name} from public`);
  await query(admin, `grant connect on database ${name} to ${portal}, ${sidecar}`);
  return addressIn(admin, name);
}

const isInUse = (error: unknown): boolean => error instanceof pg.DatabaseError && error.code === '55006';

async function copyEmbedded(template: string): Promise<FreshDatabase> {
  const { startEmbeddedDatabase } = await import('../../../shared/tooling/embedded/database.ts');
  const folder = await mkdtemp(join(tmpdir(), 'aggregator-pglite-'));
  await cp(template, folder, { recursive: true });
  const embedded = await startEmbeddedDatabase({ folder });
  return {
    ...embedded,
    drop: () => embedded.stop().finally(() => rm(folder, { recursive: true, force: true })),
  };
}
