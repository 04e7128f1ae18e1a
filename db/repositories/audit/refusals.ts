import { sql } from 'drizzle-orm';
import type { Db } from '../../client.ts';
import { noteNotice, possibleNotice } from '../../postgres/work-notice.ts';
import { auditEvents } from '../../schema/audit/events.ts';
import { auditRefusals } from '../../schema/audit/refusals.ts';
import type { AuditEntry } from './events.ts';

const minuteMs = 60_000;

/**
 * Counts a refusal of `subject`. The first one per minute is also written as an audit event, in the same statement.
 */
export async function countRefusal(db: Db, subject: string, entry: AuditEntry): Promise<void> {
  const minute = new Date(entry.at.getTime() - (entry.at.getTime() % minuteMs)).toISOString();
  const event = JSON.stringify({ changes: [], details: {}, message: '', count: 1, ...entry });
  const { rows } = (await db.execute(sql`
    with counted as (
      insert into ${auditRefusals} as r (subject, minute, event)
      values (${subject}, ${minute}::timestamptz, ${event}::jsonb)
      on conflict (subject, minute) do update set count = r.count + 1, event = excluded.event
      returning count, event
    )
    insert into ${auditEvents} select e.*
    from counted, jsonb_populate_record(null::${auditEvents}, counted.event) e where counted.count = 1
    returning ${possibleNotice()}`)) as unknown as { rows: unknown[] };
  if (rows.length > 0) noteNotice();
}

/**
 * Writes the further refusals of all past minutes, as one event per subject with the data of the last refusal.
 * Concurrent calls write each event once, because only one of them deletes the row.
 */
export async function settleRefusals(db: Db, now: Date): Promise<void> {
  const ended = new Date(now.getTime() - minuteMs).toISOString();
  await db.execute(sql`
    with ended as (
      delete from ${auditRefusals} where minute <= ${ended}::timestamptz returning count, event
    )
    insert into ${auditEvents} select e.*
    from ended, jsonb_populate_record(null::${auditEvents}, event || jsonb_build_object('count', count - 1)) e
    where ended.count > 1`);
}
