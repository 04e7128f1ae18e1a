import { and, eq, gt, sql } from 'drizzle-orm';
import type { Db, Statement } from '../../client.ts';
import { serviceLists } from '../../schema/snapshot/service-lists.ts';

/** Keeps what farms gave a user, in one statement; an answer never takes the place of a later one. */
export const keepServiceLists = (h: Db, lists: (typeof serviceLists.$inferInsert)[]): Statement =>
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

/** From now on a list counts as fetched at `at` at the latest: what the user does at the farm changes it. */
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
