import type { MonitoringEntry } from '../../../db/repositories/monitoring.ts';
import type { ListKind } from '../../remotes/dispatcher/list-shapes.ts';
import type { BadRows } from '../../remotes/dispatcher/port.ts';

/** What the monitoring journal says when a list of a farm has another number of rows that are of no use. */
export function badRowsRecord(
  farm: { id: string; name: string },
  kind: ListKind,
  { count, first }: BadRows,
  at: Date,
): MonitoringEntry {
  const common = {
    at,
    source: 'farm',
    object_type: 'farm',
    object_id: farm.id,
    object_name: farm.name,
    code: 'snapshot_bad_rows',
    details: { list: kind, count, first_reason: first },
  } as const;
  if (count === 0)
    return { ...common, level: 'info', message: `All rows of ${kind} of farm ${farm.name} are good again` };
  const message = `${count} rows of ${kind} of farm ${farm.name} were left out; the first: ${first}`;
  return { ...common, level: 'warning', message };
}
