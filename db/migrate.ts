import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import pg from 'pg';

const folder = fileURLToPath(new URL('migrations', import.meta.url));
/** Any number that nothing else of ours locks. */
const lock = 7_040_001;

/**
 * Brings the schema up to this code, under an advisory lock so that several processes may start at once.
 * @throws Error when the database cannot be reached, or knows a newer schema than this code
 */
export async function migrateDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  await client.connect().catch((cause: Error) => {
    throw new Error(`The database cannot be reached: ${cause.message}`, { cause });
  });
  try {
    await client.query('select pg_advisory_lock($1)', [lock]);
    // Whoever waits for a table holds up everybody behind him: better to fail, with nothing changed, and be run again.
    await client.query(`set lock_timeout = '5s'`);
    await refuseNewer(client);
    await migrate(drizzle({ client }), { migrationsFolder: folder });
  } finally {
    await client.end();
  }
}

async function refuseNewer(client: pg.Client): Promise<void> {
  const known = newestMigration();
  const table = await client.query(`select to_regclass('drizzle.__drizzle_migrations') as name`);
  if (table.rows[0]?.name === null) return;
  const applied = await client.query(
    'select max(created_at)::float8 as at from drizzle.__drizzle_migrations',
  );
  if ((applied.rows[0]?.at ?? 0) > known) {
    throw new Error(
      'The database has a newer schema than this version of the portal knows; use the newer version',
    );
  }
}

function newestMigration(): number {
  const journal: { entries: { when: number }[] } = JSON.parse(
    readFileSync(`${folder}/meta/_journal.json`, 'utf8'),
  );
  return Math.max(...journal.entries.map(({ when }) => when));
}
