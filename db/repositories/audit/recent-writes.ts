import { and, eq, gt, sql } from 'drizzle-orm';
import { prebuilt } from '../../prebuilt.ts';
import { auditEvents } from '../../schema/audit/events.ts';

/**
 * Returns a row if the user has caused an audit event in the last 15 seconds: 5 seconds, and the time that a write can
 * take, because an event has the time at which its request began.
 */
export const recentWriteOf = prebuilt((db, { id, name }: { id: string; name: string }) =>
  db
    .select({ id: auditEvents.id })
    .from(auditEvents)
    .where(
      and(
        // The index is by name; a name can belong to users of several domains.
        sql`lower(${auditEvents.user_name}) = lower(${name})`,
        eq(auditEvents.user_id, id),
        gt(auditEvents.at, sql`now() - interval '15 s'`),
      ),
    )
    .limit(1),
);
