import { drizzle } from 'drizzle-orm/node-postgres';
import type pg from 'pg';
import type { SchemaFiles } from './files.ts';
import { tableDigests } from './fingerprint.ts';
import { type AppliedSchema, readApplied, recordMigration } from './journal.ts';
import { SchemaRefusal } from './refusal.ts';

/** Whether a database has all or some of the migrations that the first one of this version replaces, and no others. */
export function replacedMigrations(
  applied: AppliedSchema,
  { adopted }: SchemaFiles,
): 'all' | 'some' | 'none' {
  const replaced = new Set(adopted.migrations);
  const hashes = new Set(applied.migrations.map(({ hash }) => hash));
  if (hashes.size === 0 || !hashes.isSubsetOf(replaced)) return 'none';
  return hashes.size === replaced.size ? 'all' : 'some';
}

/**
 * Records the first migration in place of those that it replaces. Its statements are not run, because the database already
 * has the schema that they create. A program with the replaced migrations refuses the later time as that of a newer schema.
 * @throws SchemaRefusal if the database has other tables
 */
export async function adoptSchema(client: pg.Client, files: SchemaFiles): Promise<void> {
  const [first] = files.migrations;
  if (!first || !(await isAdoptable(client, files))) return;
  await client.query('delete from drizzle.__drizzle_migrations');
  await recordMigration(client, first);
}

/**
 * @returns false for a database without the replaced migrations
 * @throws SchemaRefusal if the database has them, but other tables than they create
 */
export async function isAdoptable(client: pg.Client, files: SchemaFiles): Promise<boolean> {
  const applied = await readApplied(drizzle({ client }));
  if (!applied || replacedMigrations(applied, files) !== 'all') return false;
  const different = await differentTables(client, files.adopted.tables);
  if (different.length === 0) return true;
  throw new SchemaRefusal(
    `the database cannot be upgraded, because these tables differ from those that its migrations create: ${listed(different)}; correct them (compare with pg_dump --schema-only of a new database), or use a new, empty database`,
  );
}

async function differentTables(
  client: pg.Client,
  expected: Readonly<Record<string, string>>,
): Promise<string[]> {
  const digests = await tableDigests(client);
  const names = Object.keys({ ...expected, ...digests });
  return names.filter((name) => digests[name] !== expected[name]).toSorted();
}

const mostListed = 5;

function listed(names: readonly string[]): string {
  const further = names.length - mostListed;
  return names.slice(0, mostListed).join(', ') + (further > 0 ? ` and ${further} more` : '');
}
