import { hostname } from 'node:os';
import { type SQL, sql } from 'drizzle-orm';
import { expect } from 'vitest';
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

/** Rows of requests rather than of objects; refused requests change them as well. */
const bookkeeping = ['login_sessions', 'login_locks', 'audit_refusals'];

const wheres: Readonly<Record<string, SQL>> = {
  audit_events: sql` where result = 'success'`,
  changes: sql` where kind <> 'lock_out'`,
};

/** A digest of every row except those of requests and failures: equal when nothing was written. */
export async function digestOf({ db, settled }: TestPortal): Promise<string> {
  await settled();
  const names = await tablesOf(db);
  const parts = names.map((name) => {
    const where = wheres[name] ?? sql``;
    return sql`select ${name}::text || ' ' || count(*) || ' ' || coalesce(sum(hashtextextended(t::text, 0)), 0)
               as digest from ${sql.identifier(name)} t${where}`;
  });
  const rows = await db
    .select({ digest: sql<string>`digest` })
    .from(sql`(${sql.join(parts, sql` union all `)}) as every_table`);
  expect(rows.length).toBe(names.length);
  return rows
    .map(({ digest }) => digest)
    .sort()
    .join('\n');
}

/** No test here changes the schema, and the views of the information schema are slow. */
const tableNames = new WeakMap<TestPortal['db'], string[]>();

async function tablesOf(db: TestPortal['db']): Promise<string[]> {
  const known = tableNames.get(db);
  if (known) return known;
  const tables = await db
    .select({ name: sql<string>`table_name::text` })
    .from(sql`information_schema.tables`)
    .where(sql`table_schema = 'public' and table_type = 'BASE TABLE'`)
    .orderBy(sql`1`);
  const names = tables.map(({ name }) => name).filter((name) => !bookkeeping.includes(name));
  tableNames.set(db, names);
  return names;
}
