import { and, asc, count, desc, eq, inArray, max, type SQL, sql } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/pg-core';
import type { Db } from '../../client.ts';
import { monitoringRecords } from '../../schema/monitoring/records.ts';
import type { Scope } from '../records/scope.ts';
import { momentText } from '../snapshot/lists.ts';
import { visibleRecords } from './list.ts';

const { at, id, level, state, code, source, message, details, object_type, object_id, object_name } =
  monitoringRecords;

/** Records of each severity that are read; older ones are not counted. */
const readRecords = 1_000;
const mostGroups = 20;
const mostObjects = 10;

/** Texts of agents and administrators are causes by themselves. Other records have an error code in their details, or nothing. */
const cause = sql<string>`case when ${code} in ('', 'agent_log') then ${message}
  else left(coalesce(${details} ->> 'last_error', ''), 200) end`;

/** An object of several records. */
export type FailedObject = { type: string | null; id: string; name: string | null };

/** The latest open records of a severity. One severity at a time, because the index has them in this order. */
const latestOf = (db: Db, scope: Scope, severity: 'error' | 'critical') =>
  db
    .select({
      at,
      id,
      level,
      code,
      source,
      message,
      cause: cause.as('cause'),
      object: sql<FailedObject | null>`case when ${object_id} is not null then
        jsonb_build_object('type', ${object_type}, 'id', ${object_id}, 'name', ${object_name}) end`.as(
        'object',
      ),
    })
    .from(monitoringRecords)
    .where(and(eq(level, severity), inArray(state, ['open', 'acknowledged']), visibleRecords(scope)))
    .orderBy(desc(at), desc(id))
    .limit(readRecords);

/**
 * Returns the failures of the journal that are not closed, within the scope, grouped by cause. The groups are those of
 * the latest 1,000 records of each severity, latest first.
 */
export const failureGroups = (db: Db, scope: Scope) => {
  const latest = unionAll(latestOf(db, scope, 'error'), latestOf(db, scope, 'critical')).as('latest');
  return db
    .select({
      code: latest.code,
      source: latest.source,
      cause: latest.cause,
      level: sql<
        'error' | 'critical'
      >`case when bool_or(${latest.level} = 'critical') then 'critical' else 'error' end`,
      count: count(),
      first_at: momentOf(sql`min(${latest.at})`),
      last_at: momentOf(sql`max(${latest.at})`),
      message: sql<string>`(array_agg(${latest.message} order by ${latest.at} desc, ${latest.id} desc))[1]`,
      objects_count: sql<number>`count(distinct ${latest.object})::int`,
      objects: sql<FailedObject[]>`to_jsonb(coalesce(
        (array_agg(distinct ${latest.object}) filter (where ${latest.object} is not null))[1:${sql.raw(String(mostObjects))}], '{}'))`,
    })
    .from(latest)
    .groupBy(latest.code, latest.source, latest.cause)
    .orderBy(desc(max(latest.at)), asc(latest.code), asc(latest.cause))
    .limit(mostGroups);
};

const momentOf = (moment: SQL): SQL<string> => sql<string>`${momentText(moment)}`;
