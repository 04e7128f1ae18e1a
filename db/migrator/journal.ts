import { sql } from 'drizzle-orm';
import type pg from 'pg';
import type { Db } from '../client.ts';
import type { Migration } from './files.ts';

/** What a database records about its schema, in the schema `drizzle`: migrations and files of `db/sql` that were applied. */
export type AppliedSchema = {
  migrations: { at: number; hash: string }[];
  sqlFiles: { name: string; digest: string; stamp: number }[];
};

/** @returns undefined for a database that was never migrated */
export async function readApplied(db: Db): Promise<AppliedSchema | undefined> {
  const [tables] = await db
    .select({
      journal: sql<string | null>`to_regclass('drizzle.__drizzle_migrations')::text`,
      files: sql<string | null>`to_regclass('drizzle.sql_files')::text`,
    })
    .from(sql`(values (1)) as once`);
  if (!tables?.journal) return undefined;
  const migrations = await db
    .select({ at: sql<number>`created_at::float8`, hash: sql<string>`hash` })
    .from(sql`drizzle.__drizzle_migrations`);
  if (!tables.files) return { migrations, sqlFiles: [] };
  const sqlFiles = await db
    .select({ name: sql<string>`name`, digest: sql<string>`digest`, stamp: sql<number>`stamp::float8` })
    .from(sql`drizzle.sql_files`);
  return { migrations, sqlFiles };
}

export async function recordMigration(client: pg.Client, { hash, at }: Migration): Promise<void> {
  await client.query('insert into drizzle.__drizzle_migrations (hash, created_at) values ($1, $2)', [
    hash,
    at,
  ]);
}
