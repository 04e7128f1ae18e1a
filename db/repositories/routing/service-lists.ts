import { and, eq, gt, inArray, lte, sql } from 'drizzle-orm';
import type { Db, Statement } from '../../client.ts';
import { serviceLists } from '../../schema/snapshot/service-lists.ts';
import { listRevision, type ServiceListRow } from './site-lists.ts';

/** The cached service lists of a user at these farms. */
export async function findServiceLists(
  h: Db,
  userId: string,
  farmIds: readonly string[],
): Promise<ServiceListRow[]> {
  const rows = await h
    .select({
      farm_id: serviceLists.farm_id,
      subject: serviceLists.subject,
      entitlement: serviceLists.entitlement,
      fetched_at: serviceLists.fetched_at,
      revision: listRevision,
      refusal: serviceLists.refusal,
      services: serviceLists.services,
    })
    .from(serviceLists)
    .where(and(eq(serviceLists.user_id, userId), inArray(serviceLists.farm_id, [...farmIds])));
  return rows.map((row) => ({ ...row, fetched_at: row.fetched_at.toISOString() }));
}

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
        refusal: sql`excluded.refusal`,
      },
      setWhere: sql`${serviceLists.fetched_at} <= excluded.fetched_at`,
    });

/** Service lists that were read again at the time `at`. */
export type RenewedLists = {
  userId: string;
  subject: string;
  entitlement: number;
  at: Date;
  lists: readonly { farm_id: string; revision: string }[];
};

/** Stores that service lists were read again with the same services. A list that has changed meanwhile is skipped. */
export const renewServiceLists = (
  h: Db,
  { userId, subject, entitlement, at, lists }: RenewedLists,
): Statement => {
  const keys = `{${lists.map(({ farm_id, revision }) => `${farm_id}.${revision}`).join(',')}}`;
  return h
    .update(serviceLists)
    .set({ subject, entitlement, fetched_at: at })
    .where(
      and(
        eq(serviceLists.user_id, userId),
        sql`${serviceLists.farm_id} || '.' || ${listRevision} = any(${sql.param(keys)}::text[])`,
        lte(serviceLists.fetched_at, at),
      ),
    );
};

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
