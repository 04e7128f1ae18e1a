import { eq, getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { Db, Statement } from '../../client.ts';
import { raisedByMust } from '../../errors.ts';
import { maintenanceTemplates } from '../../schema/maintenance/templates.ts';
import { maintenanceWindows as table } from '../../schema/maintenance/windows.ts';
import { farms } from '../../schema/sites/farms.ts';
import { sites } from '../../schema/sites/sites.ts';
import { derived, must } from '../records/statements.ts';

type Row = typeof table.$inferSelect;
type Template = typeof maintenanceTemplates.$inferSelect;
/** Effect of a maintenance on users, and its times. */
type Plan = Pick<
  Template,
  | 'name'
  | 'title'
  | 'message'
  | 'start_at'
  | 'end_at'
  | 'warn_minutes'
  | 'block_new_sessions'
  | 'disconnect_sessions'
  | 'logoff_sessions'
>;
export type MaintenanceWindow = Row & {
  plan: Plan;
  /** False if the flag of the farm or site was cleared, or has another template now. */
  isOrdered: boolean;
};

/** Unique key of a window. An object has at most one window. */
export const windowKey = (of: Pick<Row, 'object_type'> & { farmId: string; uuid: string }): Row['about'] =>
  `${of.object_type}:${of.farmId}:${of.uuid}`;

export const openWindow = (h: Db, window: typeof table.$inferInsert): Statement =>
  h.insert(table).values(window);

/**
 * Whether a maintenance of the object is in effect (`expected`), by its window or by its flag as read before.
 * @param key key of the window
 */
export const isBegun = (key: string, isFlagged: boolean, expected: boolean): SQL =>
  sql`(${isFlagged}::boolean or exists(
    select 1 from ${table} where ${table.about} = ${key} and ${table.begun_at} is not null)) = ${expected}::boolean`;

export const dropWindow = (h: Db, key: string): Statement => h.delete(table).where(eq(table.about, key));

/** Opens windows for flagged farms and sites without one; one statement. */
export async function openFlagged(db: Db): Promise<void> {
  const flagged = (from: typeof farms | typeof sites, type: 'farm' | 'site', columns: SQL): SQL => sql`
    select ${type}::text, ${`${type}:`}::text || ${from.id}, ${from.name}, ${columns}, ${from.maintenance_template_id}
    from ${from} where ${from.maintenance}`;
  await db.execute(sql`
    insert into ${table} (object_type, about, object_name, site_id, farm_id, template_id)
    select * from (
      ${flagged(farms, 'farm', sql`null::uuid, ${farms.id}`)} union all ${flagged(sites, 'site', sql`${sites.id}, null::uuid`)}
    ) as flagged on conflict (about) do nothing`);
}

/** Returns all windows with the current content of their templates. */
export async function listWindows(db: Db): Promise<MaintenanceWindow[]> {
  const rows = await db
    .select({
      ...getTableColumns(table),
      template: getTableColumns(maintenanceTemplates),
      isOrdered: isStillOrdered,
    })
    .from(table)
    .leftJoin(maintenanceTemplates, eq(maintenanceTemplates.id, table.template_id))
    .orderBy(table.id);
  return rows.map(({ template, ...window }) => ({ ...window, plan: template ?? untimed }));
}

/** Without a template a maintenance lasts until the flag is cleared. */
const untimed: Plan = {
  name: '',
  title: '',
  message: '',
  start_at: null,
  end_at: null,
  warn_minutes: 0,
  block_new_sessions: true,
  disconnect_sessions: false,
  logoff_sessions: false,
};

const flagOf = (of: typeof farms | typeof sites, id: typeof table.farm_id | typeof table.site_id): SQL =>
  sql`exists(select 1 from ${of} where ${of.id} = ${id} and ${of.maintenance}
    and ${of.maintenance_template_id} is not distinct from ${table.template_id})`;

/** By object type: whether a window is still ordered. The window of a pool or workplace is deleted if it is not. */
const orderedByType: Readonly<Record<Row['object_type'], SQL>> = {
  farm: flagOf(farms, table.farm_id),
  site: flagOf(sites, table.site_id),
  servicespool: sql`true`,
  workplace: sql`true`,
};

/** False if the flag of the farm or site was cleared, or has another template now. */
export const isStillOrdered = derived<boolean>(
  sql`select case ${table.object_type} ${sql.join(
    Object.entries(orderedByType).map(
      ([type, isOrdered]) => sql`when ${sql.raw(`'${type}'`)} then ${isOrdered}`,
    ),
    sql` `,
  )} else false end`,
);

/**
 * Fails the batch with `window_passed` unless the condition holds, and locks the window. Of several concurrent
 * batches one succeeds.
 */
export const mustStill = (h: Db, id: string, condition: SQL): Statement =>
  must(
    h,
    sql`(select ${condition} from ${table} where ${table.id} = ${id}::uuid for update)`,
    'window_passed',
  );

/** @returns false if `mustStill` has failed the batch */
export async function ifStillOpen(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (raisedByMust(error)?.code !== 'window_passed') throw error;
    return false;
  }
}

export const isNotBegun = sql`${table.begun_at} is null`;
export const isPresent = sql`true`;

export const noteBegin = (h: Db, id: string, at: Date): Statement =>
  h.update(table).set({ begun_at: at }).where(eq(table.id, id));

/** Clears the maintenance flag of a farm or site and increments its revision. */
export function clearFlag(h: Db, { farm_id, site_id }: Pick<Row, 'farm_id' | 'site_id'>): Statement {
  const of = farm_id === null ? sites : farms;
  return h
    .update(of)
    .set({ maintenance: false, revision: sql`${of.revision} + 1`, updated_at: sql`now()` })
    .where(eq(of.id, farm_id ?? site_id ?? ''));
}
