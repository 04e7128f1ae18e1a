import { drizzle } from 'drizzle-orm/node-postgres';
import type pg from 'pg';
import { adoptSchema } from './adoption.ts';
import { firstFile, type Migration, type SchemaFiles, type SqlFile } from './files.ts';
import { readApplied, recordMigration } from './journal.ts';
import { inTransaction } from './locks.ts';
import { type IndexStep, stepsOfMigration } from './migration-steps.ts';
import { changedFiles, pendingMigrations } from './state.ts';
import {
  digestOfStatement,
  type FileStatement,
  type Step,
  splitStatements,
  stepsOfFile,
} from './statements.ts';

/**
 * The table of applied migrations has the columns that `drizzle-kit` expects. `sql_statements` has what is applied of each
 * file: functions, triggers and privileges of a file of `db/sql`, and the steps of a migration that is not complete, under its hash.
 */
const bookkeeping = [
  'create schema if not exists drizzle',
  `create table if not exists drizzle.__drizzle_migrations (
    id serial primary key, hash text not null, created_at bigint)`,
  `create table if not exists drizzle.sql_files (
    name text primary key, digest text not null, stamp bigint not null)`,
  `create table if not exists drizzle.sql_statements (
    file text not null, digest text not null, primary key (file, digest))`,
];

/**
 * The name of a row of `sql_files` during an upgrade. It is no file of any version, so that the schema is `older` until
 * the privileges are granted.
 */
const unfinished = '(upgrade)';

/**
 * Applies the migrations that the database lacks, in their order, then the files of `db/sql` that have changed since they
 * were applied. Each step is a transaction and locks at most one existing table, because the previous version serves
 * requests meanwhile. After an error, the next call continues with the step that failed. `completeSchema` must follow.
 * @throws SchemaRefusal if a table stays locked
 */
export async function applySchema(client: pg.Client, files: SchemaFiles): Promise<void> {
  const applied = await readApplied(drizzle({ client }));
  const changed = changedFiles(applied, files);
  await inTransaction(client, async () => {
    await adoptSchema(client, files);
    for (const statement of bookkeeping) await client.query(statement);
  });
  const pending = pendingMigrations(await readApplied(drizzle({ client })), files);
  if (changed.length + pending.length > 0) await recordFile(client, unfinished, '', files.stampedAt);
  const isFirst = ({ name }: SqlFile): boolean => name === firstFile;
  for (const file of changed.filter(isFirst)) await applyFile(client, file, files.stampedAt);
  for (const migration of pending) await applyMigration(client, migration);
  for (const file of changed.filter((one) => !isFirst(one))) await applyFile(client, file, files.stampedAt);
}

/** Records that everything is applied. The caller grants the privileges in the same transaction. */
export async function completeSchema(client: pg.Client, { sqlFiles, stampedAt }: SchemaFiles): Promise<void> {
  const names = sqlFiles.map(({ name }) => name);
  await client.query('delete from drizzle.sql_statements where file <> all ($1)', [names]);
  await client.query('delete from drizzle.sql_files where name <> all ($1)', [names]);
  await client.query('update drizzle.sql_files set stamp = $1 where stamp <> $1', [stampedAt]);
}

async function applyMigration(client: pg.Client, migration: Migration): Promise<void> {
  const { hash } = migration;
  const done = await appliedOf(client, hash);
  for (const step of stepsOfMigration(migration.statements)) {
    const texts = 'index' in step ? [step.index.text] : step.statements;
    const digest = digestOfStatement(texts.join(';'));
    if (done.has(digest)) continue;
    const statements = 'index' in step ? await buildIndex(client, step.index) : texts;
    await inTransaction(client, async () => {
      for (const statement of statements) await client.query(statement);
      await recordStatement(client, hash, digest);
    });
  }
  await inTransaction(client, () => recordMigration(client, migration));
}

/**
 * Builds an index while its table is written. An invalid index of an interrupted attempt is dropped first.
 * @returns the statements that put it into its place
 */
async function buildIndex(client: pg.Client, { name, text, isReplaced }: IndexStep): Promise<string[]> {
  const built = isReplaced ? `${name}_next` : name;
  await client.query(`drop index concurrently if exists "${built}"`);
  await client.query(text.replace(`"${name}"`, `concurrently "${built}"`));
  return isReplaced ? [`drop index if exists "${name}"`, `alter index "${built}" rename to "${name}"`] : [];
}

/** Applies a file of `db/sql`. Functions and triggers that the database has in the same words are not touched. */
async function applyFile(client: pg.Client, file: SqlFile, stampedAt: number): Promise<void> {
  const applied = await appliedOf(client, file.name);
  const steps = stepsOfFile(await statementsOf(client, file.text));
  for (const step of steps) {
    const due = dueOf(step, applied);
    if (due.length === 0) continue;
    await inTransaction(client, async () => {
      for (const { text, kind } of due) {
        await client.query(text);
        if (kind !== 'other') await recordStatement(client, file.name, digestOfStatement(text));
      }
    });
  }
  const current = steps.flat().map(({ text }) => digestOfStatement(text));
  await inTransaction(client, async () => {
    await client.query('delete from drizzle.sql_statements where file = $1 and digest <> all ($2)', [
      file.name,
      current,
    ]);
    await recordFile(client, file.name, file.digest, stampedAt);
  });
}

function dueOf(step: Step, applied: ReadonlySet<string>): Step {
  const isNew = ({ text }: FileStatement): boolean => !applied.has(digestOfStatement(text));
  const hasFunction = step.some((one) => one.kind === 'function' && isNew(one));
  return step.filter(
    (one) => one.kind === 'other' || isNew(one) || (one.kind === 'privileges' && hasFunction),
  );
}

/** A query with the column `statement`, for example over a list of tables, returns further statements. */
async function statementsOf(client: pg.Client, text: string): Promise<string[]> {
  const statements: string[] = [];
  for (const statement of splitStatements(text)) {
    if (!/^select\b[\s\S]*\bas statement\b/i.test(statement)) statements.push(statement);
    else {
      const { rows } = await client.query<{ statement: string }>(statement);
      statements.push(...rows.flatMap((row) => splitStatements(row.statement)));
    }
  }
  return statements;
}

async function appliedOf(client: pg.Client, file: string): Promise<Set<string>> {
  const { rows } = await client.query<{ digest: string }>(
    'select digest from drizzle.sql_statements where file = $1',
    [file],
  );
  return new Set(rows.map(({ digest }) => digest));
}

async function recordStatement(client: pg.Client, file: string, digest: string): Promise<void> {
  await client.query(
    'insert into drizzle.sql_statements (file, digest) values ($1, $2) on conflict do nothing',
    [file, digest],
  );
}

async function recordFile(client: pg.Client, name: string, digest: string, stamp: number): Promise<void> {
  await client.query(
    `insert into drizzle.sql_files (name, digest, stamp) values ($1, $2, $3)
     on conflict (name) do update set digest = excluded.digest, stamp = excluded.stamp`,
    [name, digest, stamp],
  );
}
