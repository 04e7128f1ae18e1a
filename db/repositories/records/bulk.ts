import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import { message, type Text, term, verbatim } from '../../../shared/messages/message.ts';
import { type ResourceType, resources } from '../../../shared/resources.ts';
import { atomically, type Db, type Statement } from '../../client.ts';
import { isReferenceViolation } from '../../errors.ts';
import { possibleNotice } from '../../postgres/work-notice.ts';
import { auditEvents } from '../../schema/audit/events.ts';
import { type AuditEntry, auditRow } from '../audit/events.ts';
import { objectWithin } from './object-sites.ts';
import {
  type Reach,
  type RecordSpec,
  type Records,
  type RecordTable,
  type Reference,
  reachable,
  type Selection,
} from './records.ts';
import { liesWithin, type Scope } from './scope.ts';
import { must, oneOf } from './statements.ts';

/** A condition for rows that must not be deleted, with a problem code and a sentence. */
export type ProtectionRule = { where: SQL; code: string; detail: Text };

export type BulkResult = {
  deleted_count: number;
  deleted: string[];
  failed_count: number;
  failed: { id: string; code: string; detail: Text }[];
};

const shownDeleted = 500;
const shownFailed = 100;

/**
 * Deletes the selected rows that no condition protects, in one statement, and writes one audit event with their
 * number.
 * @param selection ids, or `all` for every row within reach
 */
export async function bulkDestroy<S extends Selection>(
  db: Db,
  { spec }: Records<S>,
  selection: readonly string[] | 'all',
  reach: Reach,
  {
    protection,
    before,
    audit,
  }: { protection: readonly ProtectionRule[]; before?: (h: Db) => Statement[]; audit: AuditEntry },
): Promise<BulkResult> {
  const chosen =
    and(selection === 'all' ? undefined : oneOf(spec.table.id, selection), reachable(spec, reach)) ??
    sql`true`;
  const reasons = reasonsOf(spec, [...outside(spec, reach.scope), ...protection], chosen);
  const reason = caseOf(reasons);
  const attempt = () =>
    atomically(db, (h) => [
      ...ownerExists(h, spec, reach),
      ...(before?.(h) ?? []),
      h
        .select({ id: spec.table.id, reason })
        .from(spec.table as PgTable)
        .where(and(chosen, sql`${reason} is not null`)),
      deleteAudited(h, spec.table, and(chosen, sql`${reason} is null`), audit),
    ]);
  // A reference inserted between check and deletion fails the statement; the second attempt sees it.
  const results = await attempt().catch((error) =>
    isReferenceViolation(error) ? attempt() : Promise.reject(error),
  );
  const [blocked = [], [gone] = []] = results.slice(-2) as [{ id: string; reason: number }[], [DeletedRows?]];
  const failed = blocked.map(({ id, reason: at }) => ({ id, ...describe(reasons[at]) }));
  return summary(selection, gone ?? { count: 0, ids: [] }, failed);
}

/** Returns the sites within which the caller may read objects of a type; undefined without the permission. */
export type ReadableSites = (type: ResourceType) => Scope | undefined;

/** @returns up to ten readable rows that refer to the record, for the error `in_use` */
export async function referencesTo<S extends Selection>(
  db: Db,
  { spec }: Records<S>,
  id: string,
  reading: ReadableSites,
): Promise<{ type: string; id: string; name: string }[]> {
  const found: { type: string; id: string; name: string }[] = [];
  // In sequence, because a transaction has one connection.
  for (const reference of spec.references ?? []) {
    const scope = reading(reference.type);
    if (scope === undefined) continue;
    const rows = await db
      .select({
        type: sql<string>`${reference.type}::text`,
        id: sql<string>`${reference.id}`,
        name: sql<string>`${reference.name}`,
      })
      .from(reference.table)
      .where(
        and(eq(sql`${reference.by}`, id), objectWithin(reference.type, reference.row ?? reference.id, scope)),
      )
      .limit(10);
    found.push(...rows);
    if (found.length >= 10) break;
  }
  return found.slice(0, 10);
}

/** Visible rows that also belong to sites outside of the scope. */
function outside<S extends Selection>({ sites }: RecordSpec<S>, scope: Scope): ProtectionRule[] {
  const inside = sites && liesWithin(sites, scope);
  const detail = 'The permission is required for all sites that the object belongs to';
  return inside ? [{ where: sql`not ${inside}`, code: 'forbidden', detail }] : [];
}

/**
 * The conditions that protect a row. A row that is referenced only by rows of its own table is deleted together with
 * them, unless they are protected. The same condition selects them, because they are not referenced themselves.
 */
function reasonsOf<S extends Selection>(
  spec: RecordSpec<S>,
  protection: readonly ProtectionRule[],
  chosen: SQL,
): ProtectionRule[] {
  const references = spec.references ?? [];
  const plain = [...protection, ...references.map((reference) => referencedBy(spec, reference))];
  if (!references.some(({ own }) => own)) return plain;
  const going = sql`select ${spec.table.id} from ${spec.table} where ${and(chosen, sql`${caseOf(plain)} is null`)}`;
  return [
    ...protection,
    ...references.map((reference) => referencedBy(spec, reference, reference.own && going)),
  ];
}

const referencedBy = <S extends Selection>(
  spec: RecordSpec<S>,
  { type, table, by, id }: Reference,
  going?: SQL,
): ProtectionRule => ({
  where: sql`exists(select 1 from ${table} where ${by} = ${spec.table.id} ${going ? sql`and ${id} not in (${going})` : sql``})`,
  code: 'in_use',
  detail: message('Referenced by {referrer}', { referrer: term(resources[type].one) }),
});

/** Index of the first condition that holds for the row, or null. */
function caseOf(reasons: readonly ProtectionRule[]): SQL<number | null> {
  if (reasons.length === 0) return sql`null::int`;
  const arms = reasons.map(({ where }, at) => sql`when ${where} then ${sql.raw(String(at))}`);
  return sql`${sql`(case ${sql.join(arms, sql` `)} end)`}`;
}

const describe = (rule: ProtectionRule | undefined) => ({
  code: rule?.code ?? 'in_use',
  detail: rule?.detail ?? verbatim(''),
});

/** A nested collection without its owner is an error, not an empty collection. */
function ownerExists<S extends Selection>(h: Db, { parent }: RecordSpec<S>, reach: Reach): Statement[] {
  if (!parent || reach.parent === undefined) return [];
  return [
    must(
      h,
      sql`exists(select 1 from ${parent.table} where ${parent.table.id} = ${reach.parent})`,
      'not_found',
    ),
  ];
}

type DeletedRows = { count: number; ids: string[] };

/** Deletes and writes the audit event in one statement, because the event contains the number of deleted rows. */
function deleteAudited(
  handle: Db,
  table: RecordTable,
  condition: SQL | undefined,
  audit: AuditEntry,
): Statement {
  const gone = handle.$with('gone').as(handle.delete(table).where(condition).returning({ id: table.id }));
  const ids = sql`(select coalesce(jsonb_agg(id), '[]') from (select id from ${gone} limit ${shownDeleted}) as shown)`;
  const row = auditRow(audit, {
    count: sql`greatest((select count(*)::int from ${gone}), 1)`,
    details: sql`jsonb_build_object('deleted_count', (select count(*) from ${gone}), 'deleted', ${ids})`,
  });
  return handle
    .with(gone)
    .insert(auditEvents)
    .select(row)
    .returning({
      count: sql<number>`(${auditEvents.details} ->> 'deleted_count')::int`,
      ids: sql<string[]>`${auditEvents.details} -> 'deleted'`,
      notice: possibleNotice(),
    });
}

function summary(
  selection: readonly string[] | 'all',
  gone: DeletedRows,
  blocked: BulkResult['failed'],
): BulkResult {
  const known = new Set([...gone.ids, ...blocked.map(({ id }) => id)]);
  const absent = selection === 'all' ? [] : [...new Set(selection)].filter((id) => !known.has(id));
  const failed = [
    ...blocked,
    ...absent.map((id) => ({ id, code: 'not_found', detail: 'The object does not exist' as const })),
  ];
  return {
    deleted_count: gone.count,
    deleted: gone.ids,
    failed_count: failed.length,
    failed: failed.slice(0, shownFailed),
  };
}
