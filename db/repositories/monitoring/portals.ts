import { eq, type SQL, sql } from 'drizzle-orm';
import type { Db, Statement } from '../../client.ts';
import { portals as table } from '../../schema/sites/portals.ts';
import { records } from '../records/records.ts';
import { must } from '../records/statements.ts';

/**
 * Maximum age of the last report of an online portal. Sidecars report every 15 seconds, edge portals every minute.
 */
const aliveFor = sql`case when ${table.runtime} = 'node' then interval '60 seconds' else interval '150 seconds' end`;
const isOnline: SQL = sql`${table.last_seen_at} > now() - ${aliveFor}`;
/** Uptime in whole seconds, limited to the integer range: a peer reports its own start time, which may be wrong. */
const uptime: SQL = sql`(least(greatest(extract(epoch from ${table.last_seen_at} - ${table.started_at}), 0), 2147483647)::int)`;
const state = sql<'online' | 'offline'>`${sql`(case when ${isOnline} then 'online' else 'offline' end)`}`;

export const portals = records({
  table,
  select: {
    id: table.id,
    uuid: table.id,
    revision: table.revision,
    name: table.name,
    fqdn: table.fqdn,
    portal_type: table.portal_type,
    runtime: table.runtime,
    version: table.version,
    os: table.os,
    state,
    last_seen_at: table.last_seen_at,
    uptime_s: sql<number>`${uptime}`,
    metrics: table.metrics,
    tags: table.tags,
    created_at: table.created_at,
    updated_at: table.updated_at,
  },
  search: [table.name_key],
  filters: {
    state: (value: string) => sql`${state} = ${value}`,
    runtime: (value: string) => sql`${table.runtime} = ${value}`,
    tag: (value: string) =>
      sql`exists(select 1 from unnest(${table.tags}) as tag where lower(tag) = lower(${value}))`,
  },
  sorts: { name: table.name_key, last_seen_at: table.last_seen_at, created_at: table.created_at },
  unique: { '/name': ['name_key'] },
});

/** Returns the state of the portal with this name; one statement. */
export async function findPortalNamed(db: Db, nameKey: string) {
  const [row] = await db
    .select({ id: table.id, state, last_seen_at: table.last_seen_at })
    .from(table)
    .where(eq(table.name_key, nameKey));
  return row;
}

/** Fails the batch while the portal is online. */
export const mustBeOffline = (h: Db, id: string): Statement =>
  must(
    h,
    sql`not exists(select 1 from ${table} where ${eq(table.id, id)} and ${isOnline})`,
    'invalid_state:online',
  );

/** The data of a portal heartbeat; `id` is used if the portal is new. */
export type PortalReport = Pick<
  typeof table.$inferInsert,
  'id' | 'name' | 'name_key' | 'fqdn' | 'portal_type' | 'runtime' | 'version' | 'build' | 'os' | 'started_at'
> & { metrics: Record<string, unknown> };

/** Stores a portal heartbeat, by the clock of the database. Revision and tags do not change. */
export async function reportPortal(db: Db, report: PortalReport): Promise<void> {
  const { id: _, name_key: __, ...facts } = report;
  await db
    .insert(table)
    .values({ ...report, last_seen_at: sql`now()` })
    .onConflictDoUpdate({ target: table.name_key, set: { ...facts, last_seen_at: sql`now()` } });
}
