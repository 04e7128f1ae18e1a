import { hostname } from 'node:os';
import { type SQL, sql } from 'drizzle-orm';
import { expect } from 'vitest';
import { pgFault } from '../../../db/errors.ts';
import { type ErrorCode, errorCodes } from '../../../shared/kernel/errors.ts';
import type { Answer, TestPortal } from '../../support/portal.ts';
import { documentedCodes, type Registered } from '../generated/described.ts';
import { codeIn, expectRefusal } from './problems.ts';

/** Internal details: programs, statements, files, machines. */
const inner = new RegExp(
  [
    String.raw`\bat (async )?[\w.<>]+ \(|\.[cm]?[jt]s:\d+|node_modules|drizzle|\bzod\b`,
    String.raw`\bselect\b.+\bfrom\b|\binsert into\b|\bupdate "|pg_|postgres|sqlstate|violates|_name_key|::uuid`,
    String.raw`ECONN|ENOTFOUND|127\.0\.0\.1|localhost`,
    hostname().replaceAll('.', String.raw`\.`),
  ].join('|'),
  'i',
);

const isCode = (code: string): code is ErrorCode => Object.hasOwn(errorCodes, code);

/**
 * Asserts that an answer is a success or a refusal without internal details. A 5xx is allowed only for operations that
 * declare to call a node.
 */
export function expectHarmless(answer: Answer, operation: Registered, sent: string): void {
  const said = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
  const what = `${operation.id} ${sent.slice(0, 300)}: ${answer.status} ${said.slice(0, 600)}`;
  if (answer.status < 400) return;
  const code = codeIn(answer);
  const isOfNode = code.startsWith('upstream_') && documentedCodes(operation, answer.status).includes(code);
  expect(answer.status < 500 || isOfNode, what).toBe(true);
  expect(/\0|\\u0000/.test(said), what).toBe(false);
  expect(inner.exec(JSON.stringify({ ...answer.body, errors: [], instance: '' }))?.[0], what).toBeUndefined();
  expect(isCode(code), what).toBe(true);
  if (isCode(code)) expectRefusal(answer, code, operation);
}

/** Errors in the log of a portal that it has not foreseen, among them statements that PostgreSQL has refused. */
export const faultsIn = (log: TestPortal['log']): TestPortal['log'] =>
  log.filter(({ message, error }) => message === 'internal' || pgFault(error) !== undefined);

/** Rows of requests and of answers of farms rather than of objects; refused requests change them as well. */
const bookkeeping = ['login_sessions', 'login_locks', 'audit_refusals', 'farm_parts'];

/** Rows of the journals that say that something was written. */
const inserted: Readonly<Record<string, SQL>> = {
  audit_events: sql`new.result = 'success'`,
  changes: sql`new.kind <> 'lock_out'`,
};

/**
 * How many rows were written to each table since the first call, except those of requests and failures: equal when nothing was
 * written. Triggers count them, in the transaction of the write; to read all tables takes a hundred times longer.
 */
export async function writesIn({ ownerDb, settled }: TestPortal): Promise<string> {
  await settled();
  if (!counted.has(ownerDb)) await countWrites(ownerDb);
  counted.add(ownerDb);
  const rows = await ownerDb
    .select({ name: sql<string>`name`, rows: sql<number>`count(*)::int` })
    .from(sql`written_rows`)
    .groupBy(sql`name`)
    .orderBy(sql`name`);
  return rows.map(({ name, rows: count }) => `${name} ${count}`).join('\n');
}

const counted = new WeakSet<TestPortal['db']>();

async function countWrites(db: TestPortal['db']): Promise<void> {
  await db.execute(sql`create table written_rows (name text not null)`);
  await db.execute(sql`
    create function note_written_row() returns trigger language plpgsql security definer set search_path = public as
    'begin insert into written_rows values (tg_table_name); return null; end'`);
  const tables = await db
    .select({ name: sql<string>`table_name::text` })
    .from(sql`information_schema.tables`)
    .where(sql`table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> 'written_rows'`);
  const names = tables.map(({ name }) => name).filter((name) => !bookkeeping.includes(name));
  expect(names.length).toBeGreaterThan(50);
  for (const name of names) {
    const journal = inserted[name];
    const all = journal ? sql`update or delete` : sql`insert or update or delete`;
    await db.execute(sql`
      create trigger note_written_row after ${all} on ${sql.identifier(name)}
      for each row execute function note_written_row()`);
    if (journal)
      await db.execute(sql`
        create trigger note_inserted_row after insert on ${sql.identifier(name)}
        for each row when (${journal}) execute function note_written_row()`);
  }
}
