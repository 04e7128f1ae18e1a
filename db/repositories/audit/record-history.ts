import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { ResourceType } from '../../../shared/resources.ts';
import type { Db } from '../../client.ts';
import { auditEvents as table } from '../../schema/audit/events.ts';
import { type ListSpec, type Reach, type RecordSpec, reachable, type Selection } from '../records/records.ts';
import { weightOfEvent } from './list.ts';

const select = {
  id: table.id,
  version: table.id,
  at: table.at,
  actor: table.actor,
  user: table.user_name,
  domain: table.domain,
  service_token: table.service_token,
  action: table.action,
  changes: table.changes,
  request_id: table.request_id,
};

/** A record whose events are read, and how much of them the caller may see. */
export type RecordSubject<S extends Selection> = {
  type: ResourceType;
  id: string;
  spec: RecordSpec<S>;
  reach: Reach;
  /** The member that assigns the record to a site. */
  placedBy?: string | undefined;
};

/** The events of a record, for `listPage`. The filter `record` is required. */
export const historyList: { spec: ListSpec<typeof select> } = {
  spec: {
    table,
    select,
    search: [],
    filters: { record: (subject: RecordSubject<Selection>) => visibleEvents(subject) ?? sql`true` },
    sorts: { at: table.at },
    weight: weightOfEvent,
  },
};

/** True if the creation of the record is among its visible events. */
export async function isCreationRecorded<S extends Selection>(
  db: Db,
  subject: RecordSubject<S>,
): Promise<boolean> {
  const [row] = await db
    .select({ id: table.id })
    .from(table)
    .where(and(visibleEvents(subject), eq(table.action, 'create')))
    .limit(1);
  return row !== undefined;
}

/**
 * What the events of a record contain about one of its versions: for each member the value before its first later
 * change, and the value after its last change up to the version.
 */
export type RecordedValues = {
  later: Record<string, unknown>;
  /** `isOwn`: the version itself is that change. */
  earlier: Record<string, { value: unknown; isOwn: boolean }>;
  /** The creation of the record is among the events up to the version. */
  isCreated: boolean;
};

/**
 * Reads one version with its recorded values. The size of the result does not depend on the number of events. The
 * revision of an event determines its order, because the times of concurrent writes are those of their requests.
 */
export const versionStatement = <S extends Selection>(h: Db, subject: RecordSubject<S>, version: string) =>
  h
    .select({ ...select, recorded: recordedValues(subject, version) })
    .from(table)
    .where(and(eq(table.id, version), visibleEvents(subject)));

const recordedValues = <S extends Selection>({ type, id }: RecordSubject<S>, version: string) =>
  sql<RecordedValues>`(
    with own as (
      select e.id, e.at, e.action, e.changes, case jsonb_typeof(e.details -> 'revision')
        when 'number' then (e.details ->> 'revision')::int end as revision
      from ${table} e where e.object_type = ${type} and e.object_id = ${id} and ${isChange(sql`e`)}
    ), timed as (
      select own.*, coalesce(revision, max(revision) over (order by at, id), 0) as turn from own
    ), placed as (
      select timed.*, row_number() over (order by turn, at, id) as place from timed
    ), chosen as (
      select place from placed where id = ${version}::uuid
    ), field as (
      select p.place, p.place > c.place as is_later, p.place = c.place as is_own,
        f.value ->> 'field' as name, f.value -> 'before' as before, f.value -> 'after' as after
      from placed p cross join chosen c cross join lateral jsonb_array_elements(p.changes) f
    ), later as (
      select distinct on (name) name, before from field where is_later order by name, place
    ), earlier as (
      select distinct on (name) name, after, is_own from field where not is_later order by name, place desc
    )
    select jsonb_build_object(
      'later', (select coalesce(jsonb_object_agg(name, before), '{}') from later),
      'earlier', (select coalesce(jsonb_object_agg(name, jsonb_build_object('value', after, 'isOwn', is_own)), '{}')
        from earlier),
      'isCreated', exists(select 1 from placed p, chosen c where p.action = 'create' and p.place <= c.place)))`;

/** Further events about a record, such as logins of a user, change no member. */
const isChange = (event: SQL): SQL => sql`${event}.result = 'success' and (${event}.changes <> '[]'
  or ${event}.event = 'portal.EntityAction' and ${event}.action in ('create', 'update', 'delete', 'restore'))`;

/** The condition that an event is a change of the record, and that the caller may read both. */
const visibleEvents = <S extends Selection>(subject: RecordSubject<S>): SQL | undefined => {
  const { type, id, spec, reach } = subject;
  const record = sql`select 1 from ${spec.table as PgTable} where ${and(eq(spec.table.id, id), reachable(spec, reach))}`;
  return and(
    eq(table.object_type, type),
    eq(table.object_id, id),
    isChange(sql`${table}`),
    sql`exists(${record})`,
    sinceArrival(subject),
  );
};

/**
 * In a restricted scope, the condition that an event is not older than the last arrival of the record from outside of
 * the scope. Records without a site of their own have no history in a restricted scope.
 */
function sinceArrival<S extends Selection>(subject: RecordSubject<S>): SQL | undefined {
  const { type, id, reach, placedBy } = subject;
  if (reach.scope === '*' || placedBy !== 'site_id') return undefined;
  return sql`not ((${table.at}, ${table.id}) < any (
    select e.at, e.id from ${table} e cross join lateral jsonb_array_elements(e.changes) f
    where e.object_type = ${type} and e.object_id = ${id} and f.value ->> 'field' = ${placedBy}
      and f.value ->> 'before' is not null and f.value ->> 'before' <> all (${sql.param([...reach.scope])}::text[])
    order by e.at desc, e.id desc limit 1))`;
}
