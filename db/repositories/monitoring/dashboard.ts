import { and, asc, desc, eq, gt, gte, isNotNull, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../client.ts';
import { auditEvents } from '../../schema/audit/events.ts';
import { gateways } from '../../schema/gateways/gateways.ts';
import { authenticators } from '../../schema/identity/authenticators.ts';
import { users } from '../../schema/identity/users.ts';
import { type CertificateFacts, dispatchers } from '../../schema/sites/dispatchers.ts';
import { farms } from '../../schema/sites/farms.ts';
import { sites } from '../../schema/sites/sites.ts';
import { farmParts } from '../../schema/snapshot/farm-parts.ts';
import { pools } from '../../schema/snapshot/pools.ts';
import { workplaceSessions } from '../../schema/snapshot/workplace-sessions.ts';
import { workplaces } from '../../schema/snapshot/workplaces.ts';
import { objectWithin } from '../records/object-sites.ts';
import { type Scope, within } from '../records/scope.ts';
import { derived } from '../records/statements.ts';
import { siteStatus } from '../sites/sites.ts';
import { momentText } from '../snapshot/lists.ts';
import { siteState } from './component-state.ts';
import { installationCounts } from './installation-counts.ts';

/** Counts objects; sites and their objects only within the scope. Two concurrent statements. */
export async function countAll(db: Db, scope: Scope, now: Date) {
  const inside = within(sites.id, scope) ?? sql`true`;
  const atSites = sql`join ${farms} on ${farms.id} = farm_id join ${sites} on ${sites.id} = ${farms.site_id} where ${inside}`;
  const [[own], installation] = await Promise.all([
    db
      .select({
        sites: count(sql`${sites} where ${inside}`),
        farms: count(sql`${farms} join ${sites} on ${sites.id} = ${farms.site_id} where ${inside}`),
        dispatchers: count(sql`${dispatchers} ${atSites}`),
        gateways: count(sql`${gateways} where ${objectWithin('gateway', gateways.id, scope) ?? sql`true`}`),
        domains: count(sql`${authenticators}`),
        users: count(sql`${users}`),
        workplaces: count(sql`${workplaces} ${atSites}`),
        workplaces_in_use: count(sql`${workplaces} ${atSites} and ${workplaces.in_use}`),
        sessions: count(sql`${workplaceSessions} ${atSites}`),
      })
      .from(sql`(values (1)) as once`),
    installationCounts(db, now),
  ]);
  if (!own) throw new Error('a select without a table gave no row');
  return { ...own, admin_sessions: installation.adminSessions, user_sessions: installation.userSessions };
}

const count = (rows: SQL) => derived<number>(sql`select count(*)::int from ${rows}`);

const nodesOfSite = (condition: SQL) =>
  derived<number>(sql`
  select count(*)::int from ${dispatchers} join ${farms} on ${farms.id} = ${dispatchers.farm_id}
  where ${farms.site_id} = ${sites.id} and ${dispatchers.enabled} and ${condition}`);

const ofSite = sql`join ${farms} on ${farms.id} = farm_id where ${farms.site_id} = ${sites.id}`;

/** Returns the sites of the scope with the state of their nodes and counts from the snapshot, by name. */
export const siteOverview = (db: Db, scope: Scope) =>
  db
    .select({
      id: sites.id,
      uri: sites.uri,
      name: sites.name,
      status: siteStatus,
      state: siteState,
      farms: derived<number>(sql`select count(*)::int from ${farms} where ${farms.site_id} = ${sites.id}`),
      dispatchers_up: nodesOfSite(sql`${dispatchers.status} = 'pass'`),
      dispatchers: nodesOfSite(sql`true`),
      pools: count(sql`${pools} ${ofSite}`),
      workplaces: count(sql`${workplaces} ${ofSite}`),
      in_use: count(sql`${workplaces} ${ofSite} and ${workplaces.in_use}`),
      sessions: count(sql`${workplaceSessions} ${ofSite}`),
      fetched_at: derived<string | null>(
        sql`select ${momentText(sql`min(${farmParts.fetched_at})`)} from ${farmParts} ${ofSite}`,
      ),
    })
    .from(sites)
    .where(within(sites.id, scope))
    .orderBy(asc(sites.name_key))
    .limit(500);

/** Returns the twenty fullest pools of the scope with a usage of at least 90 %. */
export const poolsNearFull = (db: Db, scope: Scope) =>
  db
    .select({
      uuid: pools.uuid,
      name: pools.name,
      farm_id: pools.farm_id,
      farm_name: farms.name,
      site_id: farms.site_id,
      site_name: sites.name,
      usage_percent: sql<number>`${pools.usage_percent}`,
    })
    .from(pools)
    .innerJoin(farms, eq(farms.id, pools.farm_id))
    .innerJoin(sites, eq(sites.id, farms.site_id))
    .where(and(gte(pools.usage_percent, 90), within(sites.id, scope)))
    .orderBy(desc(pools.usage_percent), asc(pools.name_key), asc(pools.id))
    .limit(20);

/** Number of failed logins in the last 24 hours. An event can represent several logins. */
export async function failedLogins(db: Db, now: Date): Promise<number> {
  const since = new Date(now.getTime() - 86_400_000);
  const [row] = await db
    .select({ n: sql<number>`coalesce(sum(${auditEvents.count}), 0)::int` })
    .from(auditEvents)
    .where(and(eq(auditEvents.event, 'portal.LoginFailed'), gt(auditEvents.at, since)));
  return row?.n ?? 0;
}

/**
 * Returns certificates of nodes within the scope that expire within thirty days or have expired, in order of expiry.
 */
export const certificatesExpiring = (db: Db, scope: Scope) => {
  const notAfter = sql`(${dispatchers.certificate} ->> 'not_after')::timestamptz`;
  return db
    .select({
      dispatcher_id: dispatchers.id,
      name: dispatchers.name,
      site_id: farms.site_id,
      site_name: sites.name,
      certificate: sql<CertificateFacts>`${dispatchers.certificate}`,
      days_left: sql<number>`floor(extract(epoch from ${notAfter} - now()) / 86400)::int`,
    })
    .from(dispatchers)
    .innerJoin(farms, eq(farms.id, dispatchers.farm_id))
    .innerJoin(sites, eq(sites.id, farms.site_id))
    .where(
      and(
        isNotNull(dispatchers.certificate),
        sql`${notAfter} < now() + interval '30 days'`,
        within(sites.id, scope),
      ),
    )
    .orderBy(asc(notAfter), asc(dispatchers.id))
    .limit(100);
};
