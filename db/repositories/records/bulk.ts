import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import { message, type Text, term, verbatim } from '../../../shared/messages/message.ts';
import { type ResourceType, resources } from '../../../shared/resources.ts';
import { atomically, type Db, type Statement } from '../../client.ts';
import { isReferenceViolation } from '../../errors.ts';
import { auditEvents } from '../../schema/audit/events.ts';
import { type AuditEntry, auditRow } from '../audit/events.ts';
import { objectWithin } from './placement.ts';
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

/** Rows that are kept, and why: a code of the error table and a sentence. */
export type Kept = { where: SQL; code: string; detail: Text };

export type BulkResult = {
  deleted_count: number;
  deleted: string[];
  failed_count: number;
  failed: { id: string; code: string; detail: Text }[];
};

const shownDeleted = 500;
const shownFailed = 100;

/**
 * Deletes the rows within reach that nothing keeps, in one statement, and writes one audit event with their number.
 * @param wanted the ids, or `all` that is within reach
 */
export async function bulkDestroy<S extends Selection>(
  db: Db,
  { spec }: Records<S>,
  wanted: readonly string[] | 'all',
  reach: Reach,
  { kept, before, audit }: { kept: readonly Kept[]; before?: (h: Db) => Statement[]; audit: AuditEntry },
): Promise<BulkResult> {
  const chosen =
    and(wanted === 'all' ? undefined : oneOf(spec.table.id, wanted), reachable(spec, reach)) ?? sql`true`;
  const reasons = reasonsOf(spec, [...outside(spec, reach.scope), ...kept], chosen);
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
  // A reference that appears between the judgement and the deletion fails the statement; the second look sees it.
  const results = await attempt().catch((error) =>
    isReferenceViolation(error) ? attempt() : Promise.reject(error),
  );
  const [blocked = [], [gone] = []] = results.slice(-2) as [{ id: string; reason: number }[], [Gone?]];
  const failed = blocked.map(({ id, reason: at }) => ({ id, ...describe(reasons[at]) }));
  return summary(wanted, gone ?? { count: 0, ids: [] }, failed);
}

/** Within which sites somebody may read objects of a type; undefined when he may not at all. */
export type Reading = (type: ResourceType) => Scope | undefined;

/** @returns up to ten rows that refer to the record, of those that may be read, for the error that says why it stays. */
export async function referencesTo<S extends Selection>(
  db: Db,
  { spec }: Records<S>,
  id: string,
  reading: Reading,
): Promise<{ type: string; id: string; name: string }[]> {
  const found: { type: string; id: string; name: string }[] = [];
  // One after another: a transaction has one connection.
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

/** Rows that are seen and also lie in sites out of scope. */
function outside<S extends Selection>({ sites }: RecordSpec<S>, scope: Scope): Kept[] {
  const inside = sites && liesWithin(sites, scope);
  const detail = 'The permission is required for all sites that the object belongs to';
  return inside ? [{ where: sql`not ${inside}`, code: 'forbidden', detail }] : [];
}

/**
 * What keeps a row. One that only rows of its own table refer to goes with these, when nothing keeps them in turn;
 * they are chosen by the same condition, since nothing refers to them.
 */
function reasonsOf<S extends Selection>(spec: RecordSpec<S>, kept: readonly Kept[], chosen: SQL): Kept[] {
  const references = spec.references ?? [];
  const plain = [...kept, ...references.map((reference) => keptBy(spec, reference))];
  if (!references.some(({ own }) => own)) return plain;
  const going = sql`select ${spec.table.id} from ${spec.table} where ${and(chosen, sql`${caseOf(plain)} is null`)}`;
  return [...kept, ...references.map((reference) => keptBy(spec, reference, reference.own && going))];
}

const keptBy = <S extends Selection>(
  spec: RecordSpec<S>,
  { type, table, by, id }: Reference,
  going?: SQL,
): Kept => ({
  where: sql`exists(select 1 from ${table} where ${by} = ${spec.table.id} ${going ? sql`and ${id} not in (${going})` : sql``})`,
  code: 'in_use',
  detail: message('Referenced by {referrer}', { referrer: term(resources[type].one) }),
});

/** The place of the first reason that holds for the row, or null. */
function caseOf(reasons: readonly Kept[]): SQL<number | null> {
  if (reasons.length === 0) return sql`null::int`;
  const arms = reasons.map(({ where }, at) => sql`when ${where} then ${sql.raw(String(at))}`);
  return sql`${sql`(case ${sql.join(arms, sql` `)} end)`}`;
}

const describe = (kept: Kept | undefined) => ({
  code: kept?.code ?? 'in_use',
  detail: kept?.detail ?? verbatim(''),
});

/** An absent owner of a nested collection is not an empty collection. */
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

type Gone = { count: number; ids: string[] };

/** Deletion and its one event in one statement: only the deletion knows how many rows it took. */
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
    });
}

function summary(wanted: readonly string[] | 'all', gone: Gone, blocked: BulkResult['failed']): BulkResult {
  const known = new Set([...gone.ids, ...blocked.map(({ id }) => id)]);
  const absent = wanted === 'all' ? [] : [...new Set(wanted)].filter((id) => !known.has(id));
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
