import { and, eq, gt, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { dispatcherKindNames, isCapable } from '../../../shared/remotes/dispatcher/capabilities.ts';
import type { Db } from '../../client.ts';
import { dispatchers } from '../../schema/sites/dispatchers.ts';
import { type PartKind, farmParts as table } from '../../schema/snapshot/farm-parts.ts';

/** Lease duration in seconds; longer than the slowest page. It is renewed with every page. */
const leaseS = 60;

export const lease = sql`clock_timestamp() + make_interval(secs => ${leaseS})`;

const kindsWithoutPages = dispatcherKindNames.filter((kind) => !isCapable(kind, 'paged_lists'));

/** The nodes of the farm have no pages, so that each list is read as a whole, in one lease. */
const isUnpaged = (farmId: PgColumn): SQL => sql`exists (select from ${dispatchers} d
  where d.farm_id = ${farmId} and d.kind = any(${sql.param(`{${kindsWithoutPages.join(',')}}`)}::text[]))`;
const unpagedLeaseS = 600;
export const leaseOf = (farmId: PgColumn): SQL => sql`clock_timestamp()
  + make_interval(secs => case when ${isUnpaged(farmId)} then ${unpagedLeaseS}::float8 else ${leaseS}::float8 end)`;

/**
 * Lists without pages are read at most a tenth of the time, so that the workers of such a node are left to its users.
 * The longest pause is half an hour.
 */
export const pauseOfFarm = sql`case when ${isUnpaged(table.farm_id)} then least(interval '30 minutes', interval '1 millisecond' * 10 *
  (select coalesce(sum(part.took_ms), 0) from ${table} part where part.farm_id = ${table.farm_id}))
  else interval '0' end`;

/** Returns the identifier of the sync that holds the lease of the part; undefined if no sync does. */
export async function runningSync(db: Db, farmId: string, kind: PartKind): Promise<string | undefined> {
  const [part] = await db
    .select({ sync_id: table.sync_id })
    .from(table)
    .where(
      and(eq(table.farm_id, farmId), eq(table.kind, kind), gt(table.lease_until, sql`clock_timestamp()`)),
    );
  return part?.sync_id ?? undefined;
}
