import { and, eq, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { Db, Statement } from '../../client.ts';
import { workplaces } from '../../schema/snapshot/workplaces.ts';

export type WorkplaceKey = { farmId: string; pool: string; uuid: string };

/** Lease duration in seconds; longer than any call of a node. */
const claimS = 60;

const at = ({ farmId, uuid }: Pick<WorkplaceKey, 'farmId' | 'uuid'>): SQL | undefined =>
  and(eq(workplaces.farm_id, farmId), eq(workplaces.uuid, uuid));

/** The condition that the owner has a workplace of the pool. */
const hasOne = ({ farmId, pool }: WorkplaceKey, owner: string): SQL =>
  sql`exists(select 1 from ${workplaces} other where other.farm_id = ${farmId}
    and other.servicepool_uuid = ${pool} and other.owner_key = ${owner})`;

/**
 * Takes a lease on changing the owner of a workplace, judged by the snapshot; one statement.
 * @param owner key of the new owner (see `personKey`); null to release the workplace
 * @returns false if another request holds the lease, the workplace has an owner, or the owner has a workplace of the
 * pool
 */
export async function claimWorkplace(
  db: Db,
  workplace: WorkplaceKey,
  owner: string | null,
  replacesOwner: boolean,
): Promise<boolean> {
  const claimed = await db
    .update(workplaces)
    .set({ assigning_until: sql`now() + make_interval(secs => ${claimS})` })
    .where(
      and(
        at(workplace),
        or(isNull(workplaces.assigning_until), sql`${workplaces.assigning_until} < now()`),
        owner === null || replacesOwner ? undefined : isNull(workplaces.owner_key),
        owner === null ? undefined : sql`not ${hasOne(workplace, owner)}`,
      ),
    )
    .returning({ uuid: workplaces.uuid });
  return claimed.length > 0;
}

export const releaseWorkplace = (h: Db, workplace: Pick<WorkplaceKey, 'farmId' | 'uuid'>): Statement =>
  h.update(workplaces).set({ assigning_until: null }).where(at(workplace));
