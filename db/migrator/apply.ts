import { drizzle } from 'drizzle-orm/node-postgres';
import type pg from 'pg';
import { adoptSchema } from './adoption.ts';
import { firstFile, type Migration, type SchemaFiles, type SqlFile } from './files.ts';
import { readApplied, recordMigration } from './journal.ts';
import { changedFiles, pendingMigrations } from './state.ts';

/** The table of applied migrations has the columns that `drizzle-kit` expects. */
const bookkeeping = [
  'create schema if not exists drizzle',
  `create table if not exists drizzle.__drizzle_migrations (
    id serial primary key, hash text not null, created_at bigint)`,
  `create table if not exists drizzle.sql_files (
    name text primary key, digest text not null, stamp bigint not null)`,
];

/**
 * Applies the migrations that the database lacks, in their order, then the files of `db/sql` that have changed since they
 * were applied. The caller runs it in a transaction, so that an error leaves nothing behind.
 */
export async function applySchema(client: pg.Client, files: SchemaFiles): Promise<void> {
  await adoptSchema(client, files);
  const applied = await readApplied(drizzle({ client }));
  for (const statement of bookkeeping) await client.query(statement);
  const changed = changedFiles(applied, files);
  const isFirst = ({ name }: SqlFile): boolean => name === firstFile;
  for (const file of changed.filter(isFirst)) await applyFile(client, file, files.stampedAt);
  for (const migration of pendingMigrations(applied, files)) await applyMigration(client, migration);
  // A trigger cannot be replaced while rows that a migration has written wait for it.
  await client.query('set constraints all immediate');
  for (const file of changed.filter((one) => !isFirst(one))) await applyFile(client, file, files.stampedAt);
  await recordFiles(client, files);
}

async function applyMigration(client: pg.Client, migration: Migration): Promise<void> {
  for (const statement of migration.statements) await client.query(statement);
  await recordMigration(client, migration);
}

async function applyFile(
  client: pg.Client,
  { name, digest, text }: SqlFile,
  stampedAt: number,
): Promise<void> {
  await client.query(text);
  await client.query(
    `insert into drizzle.sql_files (name, digest, stamp) values ($1, $2, $3)
     on conflict (name) do update set digest = excluded.digest`,
    [name, digest, stampedAt],
  );
}

/** The rows of deleted files go, and the stamp is that of all files, the unchanged ones included. */
async function recordFiles(client: pg.Client, { sqlFiles, stampedAt }: SchemaFiles): Promise<void> {
  await client.query('delete from drizzle.sql_files where name <> all ($1)', [
    sqlFiles.map(({ name }) => name),
  ]);
  await client.query('update drizzle.sql_files set stamp = $1 where stamp <> $1', [stampedAt]);
}
