import { and, eq, gt, sql } from 'drizzle-orm';
import type { Db, Statement } from '../../client.ts';
import { serviceLists } from '../../schema/snapshot/service-lists.ts';

/** Stores the service lists of a user in one statement; an older list never replaces a newer one. */
export const cacheServiceLists = (h: Db, lists: (typeof serviceLists.$inferInsert)[]): Statement =>
  h
    .insert(serviceLists)
    .values(lists)
    .onConflictDoUpdate({
      target: [serviceLists.user_id, serviceLists.farm_id],
      set: {
        subject: sql`excluded.subject`,
        entitlement: sql`excluded.entitlement`,
        fetched_at: sql`excluded.fetched_at`,
        services: sql`excluded.services`,
      },
      setWhere: sql`${serviceLists.fetched_at} <= excluded.fetched_at`,
    });

/** Sets the fetch time of a list back to `at`, because an action of the user at the farm changes the list. */
export const ageServiceList = (h: Db, userId: string, farmId: string, at: Date): Statement =>
  h
    .update(serviceLists)
    .set({ fetched_at: at })
    .where(
      and(
        eq(serviceLists.user_id, userId),
        eq(serviceLists.farm_id, farmId),
        gt(serviceLists.fetched_at, at),
      ),
    );
