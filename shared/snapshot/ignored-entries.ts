import type { MonitoringEntry } from '../../db/repositories/monitoring/records.ts';
import type { IgnoredMember } from '../../db/schema/snapshot/farm-parts.ts';
import type { Ignored, ListKind } from '../remotes/dispatcher/rows.ts';

/** The number of ignored values for each member and reason, ordered by both. */
export function tallyOf(ignored: readonly Ignored[]): IgnoredMember[] {
  const counts = new Map<string, IgnoredMember>();
  for (const { member, reason } of ignored) {
    const key = `${member} ${reason}`;
    const counted = counts.get(key) ?? { member, reason, count: 0 };
    counts.set(key, { ...counted, count: counted.count + 1 });
  }
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, counted]) => counted);
}

/** The journal record for ignored fields in a list of a farm. The database adds the counts to message and details. */
export const ignoredRecord = (
  farm: { id: string; name: string },
  kind: ListKind,
  at: Date,
): MonitoringEntry => ({
  at,
  level: 'warning',
  source: 'farm',
  object_type: 'farm',
  object_id: farm.id,
  object_name: farm.name,
  code: 'snapshot_ignored',
  details: { list: kind },
  message: `Fields were ignored in the list ${kind} of the farm ${farm.name}`,
});
