import { eq, getTableColumns, type SQL, sql } from 'drizzle-orm';
import { atomically, type Db, type Statement } from '../client.ts';
import { raisedByMust } from '../errors.ts';
import { farms } from '../schema/farms.ts';
import { maintenanceTemplates } from '../schema/maintenance-templates.ts';
import { maintenanceWindows as table } from '../schema/maintenance-windows.ts';
import { sites } from '../schema/sites.ts';
import { derived, must } from './statements.ts';

type Row = typeof table.$inferSelect;
export type Template = typeof maintenanceTemplates.$inferSelect;
export type MaintenanceWindow = Row & {
  template: Template;
  /** False when the flag of the farm or site was taken back, or has another template by now. */
  wanted: boolean;
};

/** What a window is known by: one object has one at most. */
export const windowKey = (of: Pick<Row, 'object_type'> & { farmId: string; uuid: string }): Row['about'] =>
  `${of.object_type}:${of.farmId}:${of.uuid}`;

export const openWindow = (h: Db, window: typeof table.$inferInsert): Statement =>
  h.insert(table).values(window);

export const dropWindow = (h: Db, key: string): Statement => h.delete(table).where(eq(table.about, key));

/** Windows for farms and sites that were flagged with a template and have none yet; one statement. */
export async function openFlagged(db: Db): Promise<void> {
  const flagged = (from: typeof farms | typeof sites, type: 'farm' | 'site', columns: SQL): SQL => sql`
    select ${type}::text, ${`${type}:`}::text || ${from.id}, ${from.name}, ${columns}, ${from.maintenance_template_id}
    from ${from} where ${from.maintenance} and ${from.maintenance_template_id} is not null`;
  await db.execute(sql`
    insert into ${table} (object_type, about, object_name, site_id, farm_id, template_id)
    select * from (
      ${flagged(farms, 'farm', sql`null::uuid, ${farms.id}`)} union all ${flagged(sites, 'site', sql`${sites.id}, null::uuid`)}
    ) as flagged on conflict (about) do nothing`);
}

/** All windows with their templates as these are now. */
export const listWindows = (db: Db): Promise<MaintenanceWindow[]> =>
  db
    .select({ ...getTableColumns(table), template: getTableColumns(maintenanceTemplates), wanted: isWanted })
    .from(table)
    .innerJoin(maintenanceTemplates, eq(maintenanceTemplates.id, table.template_id))
    .orderBy(table.id);

const flagOf = (of: typeof farms | typeof sites, id: typeof table.farm_id | typeof table.site_id): SQL =>
  sql`exists(select 1 from ${of} where ${of.id} = ${id} and ${of.maintenance}
    and ${of.maintenance_template_id} = ${table.template_id})`;

const isWanted = derived<boolean>(sql`select case ${table.object_type}
  when 'farm' then ${flagOf(farms, table.farm_id)} when 'site' then ${flagOf(sites, table.site_id)} else true end`);

/**
 * Runs a batch about a window if it still is as the condition says; of several who come at once one does.
 * @returns false when the window is over, or the condition does not hold any more
 */
export async function onceFor(
  db: Db,
  id: string,
  condition: SQL,
  build: (h: Db) => Statement[],
): Promise<boolean> {
  const held = sql`(select ${condition} from ${table} where ${table.id} = ${id}::uuid for update)`;
  try {
    await atomically(db, (h) => [must(h, held, 'window_passed'), ...build(h)]);
    return true;
  } catch (error) {
    if (raisedByMust(error)?.code !== 'window_passed') throw error;
    return false;
  }
}

export const isNotBegun = sql`${table.begun_at} is null`;
export const isThere = sql`true`;

export const noteBegin = (h: Db, id: string, at: Date): Statement =>
  h.update(table).set({ begun_at: at }).where(eq(table.id, id));

/** Takes the flag of a farm or site back, as a write of its record does. */
export function clearFlag(h: Db, { farm_id, site_id }: Pick<Row, 'farm_id' | 'site_id'>): Statement {
  const of = farm_id === null ? sites : farms;
  return h
    .update(of)
    .set({ maintenance: false, revision: sql`${of.revision} + 1`, updated_at: sql`now()` })
    .where(eq(of.id, farm_id ?? site_id ?? ''));
}
