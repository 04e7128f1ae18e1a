import { and, eq, isNull, not, type SQL, sql } from 'drizzle-orm';
import type { Db, Statement } from '../../client.ts';
import { prebuiltStatement } from '../../prebuilt.ts';
import { users } from '../../schema/identity/users.ts';
import { type Launch, servicePreferences as table } from '../../schema/routing/service-preferences.ts';
import { sites } from '../../schema/sites/sites.ts';
import { must } from '../records/statements.ts';

/** A service of a site in the service list of a user. `serviceId` is in lower case. */
export type UserService = { userId: string; siteId: string; serviceId: string };

/** The preferences of a user for one service; the timestamp as text. */
export type ServicePreference = Pick<typeof table.$inferSelect, 'service_id' | 'favourite' | 'launch'> & {
  last_used_at: string | null;
};

/** The preferences of the user at the site of the enclosing select. */
export const preferencesAtSite = (userId: string): SQL => sql`
  select coalesce(json_agg(json_build_object(${members}) order by ${table.service_id}), '[]')
  from ${table} where ${table.user_id} = ${userId}::uuid and ${table.site_id} = ${sites.id}`;

/** The same for one service. */
export const preferenceOf = (userId: string, serviceId: string): SQL => sql`
  select json_build_object(${members}) from ${table} where ${table.user_id} = ${userId}::uuid
    and ${table.site_id} = ${sites.id} and ${table.service_id} = ${serviceId}`;

const members = sql`'service_id', ${table.service_id}, 'favourite', ${table.favourite},
  'last_used_at', ${table.last_used_at}, 'launch', ${table.launch}`;

/** Number of rows of a user. */
const mostRows = 500;

/**
 * Stores the time of the last connection. If the user has too many rows, those that were not used for the longest time
 * are deleted. Favourites are never deleted; if all rows are favourites, the time is not stored.
 */
export const storeLastUse = (h: Db, service: UserService, at: Date): Statement[] => [
  addLastUse(h, { ...service, at: at.toISOString() }),
  makeRoom(h, service),
];

const addLastUse = prebuiltStatement((h, { userId, siteId, serviceId, at }: UserService & { at: string }) =>
  h
    .insert(table)
    .select(rowOf({ userId, siteId, serviceId }, sql`false, ${at}::timestamptz, null`))
    .onConflictDoUpdate({
      target: [table.user_id, table.site_id, table.service_id],
      set: { last_used_at: sql`greatest(${table.last_used_at}, excluded.last_used_at)` },
    }),
);

/**
 * A row with these values for `favourite`, `last_used_at` and `launch`; no row if the user or the site was deleted. The
 * lock of the user serialises changes that count the rows. Both are locked before the row, as their deletion does.
 */
const rowOf = ({ userId, siteId, serviceId }: UserService, values: SQL): SQL => sql`
  select ${users.id}, ${sites.id}, ${serviceId}::text, ${values} from ${users} cross join ${sites}
  where ${users.id} = ${userId}::uuid and ${sites.id} = ${siteId}::uuid
  for no key update of ${users} for key share of ${sites}`;

/** Deletes the rows of the user beyond `mostRows`. This service comes after the favourites and before all others. */
const makeRoom = prebuiltStatement((h, { userId, siteId, serviceId }: UserService) =>
  h.delete(table).where(sql`${table.user_id} = ${userId}::uuid and not ${table.favourite}
    and (${table.site_id}, ${table.service_id}) in (
      select p.site_id, p.service_id from ${table} as p where p.user_id = ${userId}::uuid
      order by p.favourite desc, p.site_id = ${siteId}::uuid and p.service_id = ${serviceId}::text desc,
        p.last_used_at desc nulls last, p.site_id, p.service_id
      offset ${sql.raw(String(mostRows))})`),
);

/** Changed preferences. */
export type PreferenceChange = { favourite?: boolean | undefined; launch?: Launch | null | undefined };

/**
 * Stores changed preferences of a service. A row without preferences and without a last use is deleted. Fails the batch
 * with `invalid_state` if all rows of the user are favourites.
 */
export function storePreference(
  h: Db,
  service: UserService,
  { favourite, launch }: PreferenceChange,
): Statement[] {
  const insert = h.insert(table).select(rowOf(service, sql`${favourite ?? false}, null, ${launch ?? null}`));
  const set = {
    ...(favourite !== undefined && { favourite: sql`excluded.favourite` }),
    ...(launch !== undefined && { launch: sql`excluded.launch` }),
  };
  const target = [table.user_id, table.site_id, table.service_id];
  const isRow = and(
    eq(table.user_id, service.userId),
    eq(table.site_id, service.siteId),
    eq(table.service_id, service.serviceId),
  );
  const isRequired = favourite === true || (launch ?? null) !== null;
  return [
    insert.onConflictDoUpdate({ target, set }),
    makeRoom(h, service),
    isRequired
      ? must(
          h,
          sql`exists(select 1 from ${table} where ${isRow})
            and (select count(*) from ${table} where ${table.user_id} = ${service.userId}) <= ${mostRows}`,
          'invalid_state:too_many_favourites',
        )
      : h.delete(table).where(and(isRow, isWithoutPreference)),
  ];
}

const isWithoutPreference = and(not(table.favourite), isNull(table.last_used_at), isNull(table.launch));
