import { sql } from 'drizzle-orm';
import type { Db } from '../../client.ts';
import { dispatchers } from '../../schema/sites/dispatchers.ts';
import { insertMonitoring, type MonitoringEntry, monitoringRow } from './records.ts';

/** A certificate that expires within `days`, the smallest matching threshold; `notAfter` is RFC 3339. */
export type ExpiringCertificate = { id: string; name: string; notAfter: string; days: number };

const endsAt = sql`(${dispatchers.certificate}->>'not_after')`;

/**
 * Returns certificates of enabled nodes that expire within one of these numbers of days and were not reported for it
 * yet.
 */
export const expiringCertificates = (db: Db, days: readonly number[]): Promise<ExpiringCertificate[]> =>
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
    .where(sql`${dispatchers.enabled} and not ${isReported(sql`${endsAt}`, sql`near.days`)}`)
    .orderBy(dispatchers.id);

/** The condition that the certificate was reported for this threshold or a smaller one. */
const isReported = (notAfter: ReturnType<typeof sql>, days: ReturnType<typeof sql>) =>
  sql`coalesce(certificate_notice->>'not_after' = ${notAfter} and (certificate_notice->>'days')::int <= ${days}, false)`;

/**
 * Writes monitoring records for expiring certificates in one statement. A concurrent call waits for the row lock and
 * then writes nothing.
 */
export async function reportExpiring(
  db: Db,
  ending: readonly (ExpiringCertificate & { record: MonitoringEntry })[],
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
        and not ${isReported(sql`ending."notAfter"`, sql`ending.days`)}
      returning ending.record
    )
    ${insertMonitoring(sql`news`)}`);
}
