import { and, eq, sql } from 'drizzle-orm';
import type { Db, Statement } from '../../client.ts';
import { farmParts, type PartKind } from '../../schema/snapshot/farm-parts.ts';
import { pools } from '../../schema/snapshot/pools.ts';
import { removedRows } from '../../schema/snapshot/sync-rows.ts';
import { workplaceSessions } from '../../schema/snapshot/workplace-sessions.ts';
import { workplaces } from '../../schema/snapshot/workplaces.ts';
import { type PartTable, type PartValues, type PoolValues, parts } from './parts.ts';

/*
 * Writes changes and removals by our own actions on a dispatcher to the snapshot immediately. A sync that began earlier
 * does not overwrite them. A missing row is not inserted.
 */

type PoolChange = Partial<PoolValues> &
  Partial<
    Pick<typeof pools.$inferInsert, 'maintenance_message' | 'maintenance_template_id' | 'maintenance_since'>
  >;

export const updatePoolRow = (h: Db, farmId: string, uuid: string, values: PoolChange): Statement =>
  touch(h, pools, farmId, uuid, values);

export const updateWorkplaceRow = (
  h: Db,
  farmId: string,
  uuid: string,
  values: Partial<PartValues['workplaces']>,
): Statement => touch(h, workplaces, farmId, uuid, values);

/** Not marked as an action of the portal: the timestamp must not protect the row from a sync. */
export const noteAgentSeen = (h: Db, farmId: string, uuid: string, at: Date): Statement =>
  h
    .update(workplaces)
    .set({ agent_seen_at: at })
    .where(and(eq(workplaces.farm_id, farmId), eq(workplaces.uuid, uuid)));

export const updateSessionRow = (
  h: Db,
  farmId: string,
  uuid: string,
  values: Partial<PartValues['spsessions']>,
): Statement => touch(h, workplaceSessions, farmId, uuid, values);

/** Marks a workplace as unused if the snapshot has no session of it. Must follow `removeSession` in the batch. */
export const freeWorkplace = (h: Db, farmId: string, uuid: string): Statement =>
  h
    .update(workplaces)
    .set({
      in_use: false,
      in_use_since: null,
      state: sql`case when ${workplaces.state} = 'in_use' then 'ready' else ${workplaces.state} end`,
      touched_at: sql`clock_timestamp()`,
    })
    .where(
      and(
        eq(workplaces.farm_id, farmId),
        eq(workplaces.uuid, uuid),
        sql`not exists(select 1 from ${workplaceSessions} where ${workplaceSessions.farm_id} = ${farmId}::uuid
          and ${workplaceSessions.workplace_uuid} = ${uuid}::uuid)`,
      ),
    );

export const removePool = (h: Db, farmId: string, uuid: string): Statement[] =>
  remove(h, 'servicespools', farmId, uuid);

export const removeWorkplace = (h: Db, farmId: string, uuid: string): Statement[] =>
  remove(h, 'workplaces', farmId, uuid);

export const removeSession = (h: Db, farmId: string, uuid: string): Statement[] =>
  remove(h, 'spsessions', farmId, uuid);

function touch(h: Db, table: PartTable, farmId: string, uuid: string, values: object): Statement {
  // Drizzle converts `Date` values to text and does not accept text for timestamps.
  const columns = Object.fromEntries(
    Object.entries({ ...values, uuid: undefined }).map(([name, value]) => [
      name,
      isMoment(name) && typeof value === 'string' ? new Date(value) : value,
    ]),
  );
  return h
    .update(table)
    .set({ ...columns, touched_at: sql`clock_timestamp()` })
    .where(and(eq(table.farm_id, farmId), eq(table.uuid, uuid)));
}

const isMoment = (name: string): boolean => /_at$|_since$/.test(name);

/** The part is locked against a running merge, which would not see the removal and insert the row again. */
function remove(h: Db, kind: PartKind, farmId: string, uuid: string): Statement[] {
  const { table } = parts[kind];
  const removed_at = sql`clock_timestamp()`;
  return [
    h
      .select({ kind: farmParts.kind })
      .from(farmParts)
      .where(and(eq(farmParts.farm_id, farmId), eq(farmParts.kind, kind)))
      .for('share'),
    h.delete(table).where(and(eq(table.farm_id, farmId), eq(table.uuid, uuid))),
    h
      .insert(removedRows)
      .values({ farm_id: farmId, kind, uuid, removed_at })
      .onConflictDoUpdate({
        target: [removedRows.farm_id, removedRows.kind, removedRows.uuid],
        set: { removed_at },
      }),
  ];
}
