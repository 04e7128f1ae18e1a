import { eq, type SQL, sql } from 'drizzle-orm';
import type { Db, Statement } from '../client.ts';
import { dispatchers } from '../schema/dispatchers.ts';
import { appendMonitoring, type MonitoringEntry } from './monitoring.ts';

/**
 * Whether a node begins to fail, or passes again after a failure. The first look at a node is news only when it fails.
 */
export const isTransition = (before: SQL, after: SQL): SQL =>
  sql`case when ${after} = 'pass' then ${before} in ('fail', 'unauthorized') else ${before} in ('pass', 'unknown') end`;

type Seen = { status: 'fail' | 'unauthorized'; last_error: string; at: Date };

/** What a call showed of a node, and the record of it if that is news; the revision counts writes of administrators only. */
export function setStatus(h: Db, id: string, seen: Seen, record: MonitoringEntry): Statement[] {
  const { status, last_error, at: last_check_at } = seen;
  const isNews = sql`exists(select 1 from ${dispatchers} where ${dispatchers.id} = ${id}
    and ${isTransition(sql`${dispatchers.status}`, sql`${status}::text`)})`;
  return [
    // Of two that see the same change at once, the second then sees that it is told already.
    h.select({ id: dispatchers.id }).from(dispatchers).where(eq(dispatchers.id, id)).for('no key update'),
    appendMonitoring(h, record, isNews),
    h.update(dispatchers).set({ status, last_error, last_check_at }).where(eq(dispatchers.id, id)),
  ];
}
