import { sql } from 'drizzle-orm';
import type { Db } from '../client.ts';
import { readSchemaFiles, type SchemaFiles } from './files.ts';

/**
 * The schema of a database compared with the one that this code needs. `foreign` is the schema of another history of
 * migrations, which cannot be upgraded.
 */
export type SchemaState = 'empty' | 'foreign' | 'older' | 'current' | 'newer';

/** What a database records about its schema, in the schema `drizzle`: migrations and files of `db/sql` that were applied. */
export type AppliedSchema = {
  migrations: { at: number; hash: string }[];
  sqlFiles: { name: string; digest: string; stamp: number }[];
};

/** Reads the state of the schema; each role of the program may. @throws errors of the database as they are */
export async function schemaStateIn(db: Db, files: SchemaFiles = readSchemaFiles()): Promise<SchemaState> {
  const applied = await readApplied(db);
  return applied === undefined ? 'empty' : compare(applied, files);
}

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

/** Both the migrations and the stamp have an order, so that an older program recognizes the database of a newer one. */
function compare(applied: AppliedSchema, files: SchemaFiles): SchemaState {
  const newest = Math.max(...files.migrations.map(({ at }) => at));
  const hashes = new Set(files.migrations.map(({ hash }) => hash));
  if (applied.migrations.some(({ at, hash }) => at <= newest && !hashes.has(hash))) return 'foreign';
  if (applied.migrations.some(({ at }) => at > newest)) return 'newer';
  if (applied.sqlFiles.some(({ stamp }) => stamp > files.stampedAt)) return 'newer';
  const isCurrent =
    pendingMigrations(applied, files).length === 0 &&
    changedFiles(applied, files).length === 0 &&
    applied.sqlFiles.every(({ stamp }) => stamp === files.stampedAt);
  return isCurrent ? 'current' : 'older';
}

export function pendingMigrations(applied: AppliedSchema | undefined, { migrations }: SchemaFiles) {
  const hashes = new Set(applied?.migrations.map(({ hash }) => hash));
  return migrations.filter(({ hash }) => !hashes.has(hash));
}

/** Files that were not applied as they are now. */
export function changedFiles(applied: AppliedSchema | undefined, { sqlFiles }: SchemaFiles) {
  const digests = new Map(applied?.sqlFiles.map(({ name, digest }) => [name, digest]));
  return sqlFiles.filter(({ name, digest }) => digests.get(name) !== digest);
}
