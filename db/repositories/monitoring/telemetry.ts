import { sql } from 'drizzle-orm';
import { newId } from '../../../shared/kernel/ids.ts';
import type { Count } from '../../../shared/kernel/observability/telemetry.ts';
import type { Db, Statement } from '../../client.ts';
import { auditEvents } from '../../schema/audit/events.ts';
import { telemetryBatches, telemetryMarks, telemetrySums } from '../../schema/monitoring/telemetry.ts';
import { dispatchers } from '../../schema/sites/dispatchers.ts';
import { farms } from '../../schema/sites/farms.ts';
import { sites } from '../../schema/sites/sites.ts';

/** Stores a batch of counts of one process. */
export const appendTelemetry = (h: Db, counts: readonly Count[]): Statement =>
  h.insert(telemetryBatches).values({ id: newId(), counts });

/** Node metrics are summed per site, because nodes can be deleted and a counter must not decrease. */
const bySite = sql`items.family in ('upstream_duration', 'upstream_duration_sum')`;

const addSums = sql`
  insert into ${telemetrySums} (family, labels, value) select family, labels, value from summed
  on conflict (family, labels) do update set value = ${telemetrySums}.value + excluded.value`;

/**
 * Adds up to `atMost` batches to the sums and deletes them, in one statement, so that each batch counts once. Sums
 * are written in sorted order to avoid deadlocks between sidecars.
 * @returns the number of batches
 */
export async function addUpTelemetry(db: Db, atMost: number): Promise<number> {
  const { rows } = (await db.execute(sql`
    with taken as (
      delete from ${telemetryBatches} where id in (
        select id from ${telemetryBatches} order by at limit ${atMost}::int for update skip locked)
      returning counts
    ), items as (
      select item->>0 as family, array(select jsonb_array_elements_text(item->1)) as labels,
        (item->>2)::float8 as value
      from taken, jsonb_array_elements(taken.counts) item
    ), summed as (
      select items.family, case when ${bySite} then array[f.site_id::text] || items.labels[2:] else items.labels end
        as labels, sum(items.value) as value
      from items
      left join ${dispatchers} d on ${bySite} and d.id::text = items.labels[1]
      left join ${farms} f on f.id = d.farm_id
      where f.id is not null or not ${bySite}
      group by 1, 2 order by 1, 2
    ), added as (${addSums})
    select count(*)::int as taken from taken`)) as { rows: { taken: number }[] };
  return rows[0]?.taken ?? 0;
}

/**
 * Adds the logins among the next `atMost` audit events to the sums. Each login is one event, so that it counts
 * exactly once.
 * @returns the number of processed events
 */
export async function addUpLogins(db: Db, atMost: number): Promise<number> {
  const { rows } = (await db.execute(sql`
    with mark as (
      select seq from ${telemetryMarks} where name = 'logins' for update
    ), seen as (
      select e.seq, e.event, e.count, e.details->>'code' as code from ${auditEvents} e, mark
      where e.seq > mark.seq order by e.seq limit ${atMost}::int
    ), summed as (
      select 'logins' as family, array[case when event = 'portal.UserLogin' then 'success'
        when code = 'locked_out' then 'locked_out' else 'failure' end] as labels, sum(count) as value
      from seen where event in ('portal.UserLogin', 'portal.LoginFailed') group by 1, 2 order by 1, 2
    ), added as (${addSums}), moved as (
      update ${telemetryMarks} set seq = (select max(seq) from seen)
      where name = 'logins' and exists (select 1 from seen)
    )
    select count(*)::int as seen from seen`)) as { rows: { seen: number }[] };
  return rows[0]?.seen ?? 0;
}

/** A sum. For metrics per site the first label is the uri of the site. */
export type Sum = { family: string; labels: string[]; value: number };

/** Returns all sums except those of deleted sites; one statement. */
export const telemetryTotals = (db: Db): Promise<Sum[]> =>
  db
    .select({ family: sql<string>`family`, labels: sql<string[]>`labels`, value: sql<number>`value` })
    .from(sql`(
      select items.family, case when ${bySite} then array[s.uri] || items.labels[2:] else items.labels end as labels,
        items.value
      from ${telemetrySums} items left join ${sites} s on ${bySite} and s.id::text = items.labels[1]
      where s.id is not null or not ${bySite} order by 1, 2) as totals`);
