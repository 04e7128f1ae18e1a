import type { Db } from '../client.ts';
import { replacedMigrations } from './adoption.ts';
import { readSchemaFiles, type SchemaFiles } from './files.ts';
import { type AppliedSchema, readApplied } from './journal.ts';

/**
 * The schema of a database compared with the one that this code needs. `foreign` is the schema of another history of
 * migrations, which cannot be upgraded. `partial` is a schema with some of the migrations that the first one replaces.
 */
export type SchemaState = 'empty' | 'foreign' | 'partial' | 'older' | 'current' | 'newer';

/** Reads the state of the schema; each role of the program may. @throws errors of the database as they are */
export async function schemaStateIn(db: Db, files: SchemaFiles = readSchemaFiles()): Promise<SchemaState> {
  const applied = await readApplied(db);
  return applied === undefined ? 'empty' : compare(applied, files);
}

/** Both the migrations and the stamp have an order, so that an older program recognizes the database of a newer one. */
function compare(applied: AppliedSchema, files: SchemaFiles): SchemaState {
  const replaced = replacedMigrations(applied, files);
  if (replaced === 'some') return 'partial';
  const newest = Math.max(...files.migrations.map(({ at }) => at));
  const hashes = new Set(files.migrations.map(({ hash }) => hash));
  if (replaced === 'none' && applied.migrations.some(({ at, hash }) => at <= newest && !hashes.has(hash)))
    return 'foreign';
  if (applied.migrations.some(({ at }) => at > newest)) return 'newer';
  if (applied.sqlFiles.some(({ stamp }) => stamp > files.stampedAt)) return 'newer';
  const isCurrent =
    pendingMigrations(applied, files).length === 0 &&
    changedFiles(applied, files).length === 0 &&
    applied.sqlFiles.length === files.sqlFiles.length &&
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
