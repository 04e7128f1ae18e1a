import { and, asc, eq, ne, type SQL, sql } from 'drizzle-orm';
import type { Db, Statement } from '../../client.ts';
import { users } from '../../schema/identity/users.ts';
import { savedViews as table } from '../../schema/settings/saved-views.ts';
import { must } from '../records/statements.ts';

/** A saved view of its user. */
export type SavedViewRow = Pick<typeof table.$inferSelect, 'id' | 'list' | 'name' | 'query' | 'is_default'>;
export type NewSavedView = typeof table.$inferInsert;

/** Number of views of a user. */
export const mostViews = 200;

const columns = {
  id: table.id,
  list: table.list,
  name: table.name,
  query: table.query,
  is_default: table.is_default,
};

/** The views of a user, in the order of lists and names. */
export const listSavedViews = (db: Db, userId: string): Promise<SavedViewRow[]> =>
  db
    .select(columns)
    .from(table)
    .where(eq(table.user_id, userId))
    .orderBy(asc(table.list), asc(table.name_key))
    .limit(mostViews);

export async function findSavedView(db: Db, userId: string, id: string): Promise<SavedViewRow | undefined> {
  const [row] = await db.select(columns).from(table).where(isOf(userId, id));
  return row;
}

const isOf = (userId: string, id: string): SQL | undefined =>
  and(eq(table.id, id), eq(table.user_id, userId));

/** Fails the batch with `invalid_state` if the user has too many views. */
export const addSavedView = (h: Db, view: NewSavedView): Statement[] => [
  ...otherDefaults(h, view),
  h.insert(table).values(view),
  must(
    h,
    sql`(select count(*) from ${table} where ${table.user_id} = ${view.user_id}) <= ${mostViews}`,
    'invalid_state:too_many_views',
  ),
];

/** Fails the batch with `not_found` if the view was deleted. */
export const replaceSavedView = (h: Db, view: NewSavedView): Statement[] => [
  ...otherDefaults(h, view),
  must(h, sql`exists(select 1 from ${table} where ${isOf(view.user_id, view.id)})`, 'not_found'),
  h
    .update(table)
    .set({
      list: view.list,
      name: view.name,
      name_key: view.name_key,
      query: view.query,
      is_default: view.is_default ?? false,
    })
    .where(isOf(view.user_id, view.id)),
];

/** A list has one default view at most. The lock of the user serialises its changes. */
const otherDefaults = (h: Db, { id, user_id, list, is_default }: NewSavedView): Statement[] => [
  h.select({ id: users.id }).from(users).where(eq(users.id, user_id)).for('no key update'),
  ...(is_default
    ? [
        h
          .update(table)
          .set({ is_default: false })
          .where(and(eq(table.user_id, user_id), eq(table.list, list), ne(table.id, id))),
      ]
    : []),
];

export const deleteSavedView = (h: Db, userId: string, id: string): Statement[] => [
  must(
    h,
    sql`(select ${table.id} from ${table} where ${table.id} = ${id} and ${table.user_id} = ${userId} for update) is not null`,
    'not_found',
  ),
  h.delete(table).where(eq(table.id, id)),
];
