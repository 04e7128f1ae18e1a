import { sql } from 'drizzle-orm';
import type { Db } from '../../client.ts';
import { dispatchers } from '../../schema/sites/dispatchers.ts';
import { insertMonitoring, type MonitoringEntry, monitoringRow } from './records.ts';

/** A certificate that ends within `days`, the fewest of those asked about; `notAfter` is RFC 3339. */
export type EndingCertificate = { id: string; name: string; notAfter: string; days: number };

const endsAt = sql`(${dispatchers.certificate}->>'not_after')`;

/** Certificates of enabled nodes that end within one of these numbers of days, of which that was not told yet. */
export const endingCertificates = (db: Db, days: readonly number[]): Promise<EndingCertificate[]> =>
  db
    .select({
      id: dispatchers.id,
      name: dispatchers.name,
      notAfter: sql<string>`${endsAt}`,
      days: sql<number>`near.days`,
    })
    .from(dispatchers)
    .innerJoin(
      sql`lateral (select min(value::int) as days from jsonb_array_elements_text(${JSON.stringify(days)}::jsonb)
        where ${endsAt}::timestamptz <= now() + value::int * interval '1 day') near`,
      sql`near.days is not null`,
    )
    .where(sql`${dispatchers.enabled} and not ${isTold(sql`${endsAt}`, sql`near.days`)}`)
    .orderBy(dispatchers.id);

/** That a certificate ends is told once for each number of days, the fewest last. */
const isTold = (notAfter: ReturnType<typeof sql>, days: ReturnType<typeof sql>) =>
  sql`coalesce(certificate_notice->>'not_after' = ${notAfter} and (certificate_notice->>'days')::int <= ${days}, false)`;

/**
 * Writes into the journal that certificates end, one statement: of two sidecars that do this at once, the second waits
 * for the row and finds it told.
 */
export async function tellEnding(
  db: Db,
  ending: readonly (EndingCertificate & { record: MonitoringEntry })[],
): Promise<void> {
  if (ending.length === 0) return;
  const rows = ending.map((one) => ({ ...one, record: monitoringRow(one.record) }));
  await db.execute(sql`
    with ending as (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as r(id uuid, "notAfter" text, days int, record jsonb)
    ), news as (
      update ${dispatchers} d
      set certificate_notice = jsonb_build_object('not_after', ending."notAfter", 'days', ending.days)
      from ending
      where d.id = ending.id and d.certificate->>'not_after' = ending."notAfter"
        and not ${isTold(sql`ending."notAfter"`, sql`ending.days`)}
      returning ending.record
    )
    ${insertMonitoring(sql`news`)}`);
}
