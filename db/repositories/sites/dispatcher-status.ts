import { type SQL, sql } from 'drizzle-orm';
import type { Db, Statement } from '../../client.ts';
import { dispatchers } from '../../schema/sites/dispatchers.ts';
import { appendMonitoring, type MonitoringEntry } from '../monitoring/records.ts';
import { type Destination, isStillAt } from './destinations.ts';

/** The condition that a node begins to fail, or recovers. The first probe of a node counts only if it fails. */
export const isTransition = (before: SQL, after: SQL): SQL =>
  sql`case when ${after} = 'pass' then ${before} in ('fail', 'unauthorized') else ${before} in ('pass', 'unknown') end`;

type FailedStatus = { status: 'fail' | 'unauthorized'; last_error: string; at: Date };

/**
 * Stores the status of a node after a call, and a monitoring record if the status has changed; does nothing if the
 * destination has changed meanwhile. The revision does not change, because it counts writes of administrators only.
 */
export function setStatus(
  h: Db,
  node: Destination,
  seen: FailedStatus,
  record: MonitoringEntry,
): Statement[] {
  const { status, last_error, at: last_check_at } = seen;
  const isChange = sql`exists(select 1 from ${dispatchers} where ${isStillAt(node)}
    and ${isTransition(sql`${dispatchers.status}`, sql`${status}::text`)})`;
  return [
    // The row lock serialises concurrent calls, so that only the first one writes the record.
    h.select({ id: dispatchers.id }).from(dispatchers).where(isStillAt(node)).for('no key update'),
    appendMonitoring(h, record, isChange),
    h.update(dispatchers).set({ status, last_error, last_check_at }).where(isStillAt(node)),
  ];
}
