import { and, asc, eq } from 'drizzle-orm';
import type { Db } from '../../client.ts';
import { auditEvents } from '../../schema/audit/events.ts';

/**
 * Returns the audit events that a request has written so far, within its transaction. Request ids are chosen by
 * clients and may repeat, so the timestamp and the user are compared as well.
 */
export const eventsOfRequest = (handle: Db, by: { requestId: string; userId: string; at: Date }) =>
  handle
    .select({
      event: auditEvents.event,
      action: auditEvents.action,
      object_type: auditEvents.object_type,
      object_id: auditEvents.object_id,
      object_name: auditEvents.object_name,
      changes: auditEvents.changes,
    })
    .from(auditEvents)
    .where(
      and(
        eq(auditEvents.at, by.at),
        eq(auditEvents.request_id, by.requestId),
        eq(auditEvents.user_id, by.userId),
      ),
    )
    .orderBy(asc(auditEvents.id));
