import { sql } from 'drizzle-orm';
import type { Db, Statement } from '../../client.ts';
import { fullPools } from '../../schema/routing/full-pools.ts';
import { farms } from '../../schema/sites/farms.ts';

/** Seconds for which a full pool is remembered. */
const rememberedS = 5;

/** True if the pool had no free machine a few seconds ago. */
export const isFullLately = (farmId: unknown, pool: unknown) => sql<boolean>`exists(select 1 from ${fullPools}
  where ${fullPools.farm_id} = ${farmId} and ${fullPools.servicepool_uuid} = ${pool}
    and ${fullPools.full_at} > now() - make_interval(secs => ${sql.raw(String(rememberedS))}))`;

/** Remembers that the pool is full. Does nothing if the farm was deleted, or if it was written within the last second. */
export const storeFullPool = (h: Db, farmId: string, pool: string): Statement =>
  h
    .insert(fullPools)
    .select(sql`select ${farms.id}, ${pool}::uuid, now() from ${farms} where ${farms.id} = ${farmId}::uuid`)
    .onConflictDoUpdate({
      target: [fullPools.farm_id, fullPools.servicepool_uuid],
      set: { full_at: sql`excluded.full_at` },
      setWhere: sql`${fullPools.full_at} < now() - interval '1 second'`,
    });
