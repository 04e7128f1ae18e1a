import { type SQL, sql } from 'drizzle-orm';
import type { Db, Statement } from '../../client.ts';
import { dispatchers } from '../../schema/sites/dispatchers.ts';
import { appendMonitoring, type MonitoringEntry } from '../monitoring/records.ts';
import { type Destination, isStillAt } from './destinations.ts';

/**
 * Whether a node begins to fail, or passes again after a failure. The first look at a node is news only when it fails.
 */
export const isTransition = (before: SQL, after: SQL): SQL =>
  sql`case when ${after} = 'pass' then ${before} in ('fail', 'unauthorized') else ${before} in ('pass', 'unknown') end`;

type Seen = { status: 'fail' | 'unauthorized'; last_error: string; at: Date };

/**
 * What a call showed of a node, and the record of it if that is news; nothing when the node has moved meanwhile. The
 * revision counts writes of administrators only.
 */
export function setStatus(h: Db, node: Destination, seen: Seen, record: MonitoringEntry): Statement[] {
  const { status, last_error, at: last_check_at } = seen;
  const isNews = sql`exists(select 1 from ${dispatchers} where ${isStillAt(node)}
    and ${isTransition(sql`${dispatchers.status}`, sql`${status}::text`)})`;
  return [
    // Of two that see the same change at once, the second then sees that it is told already.
    h.select({ id: dispatchers.id }).from(dispatchers).where(isStillAt(node)).for('no key update'),
    appendMonitoring(h, record, isNews),
    h.update(dispatchers).set({ status, last_error, last_check_at }).where(isStillAt(node)),
  ];
}
