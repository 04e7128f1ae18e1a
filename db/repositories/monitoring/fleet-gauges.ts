import { inArray, type SQL, sql } from 'drizzle-orm';
import type { StateFacts } from '../../../shared/kernel/observability/component-state.ts';
import type { Db } from '../../client.ts';
import { auditEvents } from '../../schema/audit/events.ts';
import { gateways as gatewayTable } from '../../schema/gateways/gateways.ts';
import { authenticators } from '../../schema/identity/authenticators.ts';
import { directoryRefusals } from '../../schema/identity/directory-refusals.ts';
import { providerGrants } from '../../schema/identity/providers/grants.ts';
import { providerStates } from '../../schema/identity/providers/states.ts';
import { jobOutbox } from '../../schema/jobs/outbox.ts';
import { dispatchers } from '../../schema/sites/dispatchers.ts';
import { farms } from '../../schema/sites/farms.ts';
import { sites } from '../../schema/sites/sites.ts';
import { farmParts } from '../../schema/snapshot/farm-parts.ts';
import { webhookDeliveries } from '../../schema/webhooks/deliveries.ts';
import { isOnline } from '../gateways/gateways.ts';
import { derived } from '../records/statements.ts';
import { type WebhookGauges, webhookGauges } from '../webhooks/health.ts';
import { farmFacts, nodeFacts } from './component-state.ts';

/** The state of a node by its last probe. */
export type NodeGauges = {
  site: string;
  farm: string;
  dispatcher: string;
  circuit: 'closed' | 'half_open' | 'open';
  state_facts: StateFacts;
  /** Our error code if the probe does not pass. */
  reason: string | null;
  /** Expiry of the certificate in seconds since 1970; null if no certificate was seen. */
  not_after_s: number | null;
};

export type FarmGauges = {
  site: string;
  farm: string;
  /**
   * Age in seconds of the oldest snapshot part; since the creation of the farm for a part that was never read. Null
   * for a farm that is not read.
   */
  snapshot_age_s: number | null;
  state_facts: StateFacts;
};

export type FleetGauges = {
  nodes: NodeGauges[];
  farms: FarmGauges[];
  /** Ignored entries in the lists of enabled farms. */
  ignored: { farm: string; list: string; member: string; reason: string; count: number }[];
  /** Enabled gateways that have sent at least one heartbeat. */
  gateways: { gateway: string; is_up: boolean }[];
  /** Enabled directory domains; `is_refused` is true if the directory rejected the password of the search account. */
  directories: { domain: string; is_refused: boolean }[];
  /** Enabled domains of identity providers. `oldest_s`: seconds since the oldest check of a session; 0 without sessions. */
  providers: { domain: string; is_failing: boolean; oldest_s: number }[];
  webhooks: WebhookGauges;
  audit_unsealed: number;
  /** Age of the oldest unsealed event in seconds. 0 without unsealed events. */
  audit_unsealed_age_s: number;
  webhook_events_waiting: number;
  /** Age of the oldest waiting event in seconds. 0 without one. */
  webhook_events_oldest_s: number;
};

/**
 * Gauges that are computed on demand, in one statement. Ages are by the clock of the database.
 * @param types names of the types of domains with an account at their directory, and of those with an identity provider
 */
export async function fleetGauges(
  db: Db,
  types: { bindAccount: readonly string[]; provider: readonly string[] },
): Promise<FleetGauges> {
  const [gauges] = await db
    .select({
      nodes,
      farms: farmGauges,
      ignored,
      gateways,
      directories: directories(types.bindAccount),
      providers: providers(types.provider),
      webhooks: webhookGauges,
      audit_unsealed: unsealed,
      audit_unsealed_age_s: unsealedAge,
      webhook_events_waiting: waitingEvents(sql`count(*)::int`),
      webhook_events_oldest_s: waitingEvents(
        sql`greatest(0, coalesce(extract(epoch from now() - min(${webhookDeliveries.created_at})), 0))::float8`,
      ),
    })
    .from(sql`(values (1)) as once`);
  if (!gauges) throw new Error('a select without a table gave no row');
  return gauges;
}

const nodes = derived<NodeGauges[]>(sql`
  select coalesce(jsonb_agg(to_jsonb(node) order by node.dispatcher), '[]') from (
    select ${sites.uri} as site, ${farms.name} as farm, ${dispatchers.name} as dispatcher, ${dispatchers.circuit},
      ${nodeFacts} as state_facts,
      case when ${dispatchers.status} <> 'pass' then ${dispatchers.last_error} end as reason,
      extract(epoch from (${dispatchers.certificate}->>'not_after')::timestamptz)::float8 as not_after_s
    from ${dispatchers} join ${farms} on ${farms.id} = ${dispatchers.farm_id}
    join ${sites} on ${sites.id} = ${farms.site_id}) node`);

const hasNodes = sql`exists (
  select 1 from ${dispatchers} where ${dispatchers.farm_id} = ${farms.id} and ${dispatchers.enabled})`;

const oldestPart = derived<Date>(sql`
  select coalesce(min(coalesce(${farmParts.fetched_at}, ${farms.created_at})), ${farms.created_at})
  from ${farmParts} where ${farmParts.farm_id} = ${farms.id}`);

const farmGauges = derived<FarmGauges[]>(sql`
  select coalesce(jsonb_agg(to_jsonb(owner) order by owner.farm), '[]') from (
    select ${sites.uri} as site, ${farms.name} as farm, ${farmFacts} as state_facts,
      case when ${farms.enabled} and ${sites.enabled} and ${hasNodes}
        then extract(epoch from now() - ${oldestPart})::float8 end as snapshot_age_s
    from ${farms} join ${sites} on ${sites.id} = ${farms.site_id}) owner`);

const ignored = derived<FleetGauges['ignored']>(sql`
  select coalesce(jsonb_agg(jsonb_build_object('farm', ${farms.name}, 'list', ${farmParts.kind}) || entry
    order by ${farms.name_key}, ${farmParts.kind}), '[]')
  from ${farmParts} cross join jsonb_array_elements(${farmParts.ignored}) as entry
  join ${farms} on ${farms.id} = ${farmParts.farm_id} and ${farms.enabled}
  join ${sites} on ${sites.id} = ${farms.site_id} and ${sites.enabled}`);

const gateways = derived<FleetGauges['gateways']>(sql`
  select coalesce(jsonb_agg(jsonb_build_object('gateway', ${gatewayTable.name}, 'is_up', ${isOnline})
    order by ${gatewayTable.name_key}), '[]')
  from ${gatewayTable} where ${gatewayTable.enabled} and not ${gatewayTable.maintenance} and ${gatewayTable.last_seen_at} is not null`);

const directories = (types: readonly string[]) =>
  derived<FleetGauges['directories']>(sql`
  select coalesce(jsonb_agg(jsonb_build_object('domain', ${authenticators.small_name}, 'is_refused',
    exists(select 1 from ${directoryRefusals} where ${directoryRefusals.authenticator_id} = ${authenticators.id}))
    order by ${authenticators.small_name_key}), '[]')
  from ${authenticators} where ${inArray(authenticators.type, [...types])} and ${authenticators.state} <> 'disabled'`);

const providers = (types: readonly string[]) =>
  derived<FleetGauges['providers']>(sql`
  select coalesce(jsonb_agg(jsonb_build_object('domain', ${authenticators.small_name},
    'is_failing', exists(select 1 from ${providerStates} where ${providerStates.authenticator_id} = ${authenticators.id}
      and ${providerStates.failing_since} is not null),
    'oldest_s', (select greatest(0, coalesce(extract(epoch from now() - min(${providerGrants.checked_at})), 0))::float8
      from ${providerGrants} where ${providerGrants.authenticator_id} = ${authenticators.id}))
    order by ${authenticators.small_name_key}), '[]')
  from ${authenticators} where ${inArray(authenticators.type, [...types])} and ${authenticators.state} <> 'disabled'`);

const unsealed = derived<number>(
  sql`select count(*)::int from ${auditEvents} where ${auditEvents.seq} is null`,
);

/** Timestamps of events come from the portal, whose clock may be ahead; negative ages become 0. */
const unsealedAge = derived<number>(sql`
  select greatest(0, coalesce(extract(epoch from now() - min(${auditEvents.at})), 0))::float8
  from ${auditEvents} where ${auditEvents.seq} is null`);

const waitingEvents = (figure: SQL) =>
  derived<number>(
    sql`select ${figure} from ${webhookDeliveries} where ${webhookDeliveries.state} = 'waiting'`,
  );

/** Number of due jobs of one kind, and the waiting time of the oldest in seconds. */
export type JobsWaiting = { job: string; waiting: number; oldest_s: number };

/**
 * Returns the due jobs of the queue and its outbox by kind, including kinds without jobs.
 * @throws a database error if the queue has not created its schema
 */
export const jobsWaiting = (db: Db): Promise<JobsWaiting[]> =>
  db
    .select({
      job: sql<string>`job`,
      waiting: sql<number>`count(due)::int`,
      oldest_s: sql<number>`coalesce(extract(epoch from now() - min(due)), 0)::float8`,
    })
    .from(sql`(
      select q.name as job, greatest(j.created_on, j.start_after) as due from pgboss.queue q
      left join pgboss.job j on j.name = q.name and j.state in ('created', 'retry') and j.start_after <= now()
      where q.name not like '\\_\\_%'
      union all
      select ${jobOutbox.kind}, greatest(${jobOutbox.created_at}, ${jobOutbox.start_after}) from ${jobOutbox}
      where coalesce(${jobOutbox.start_after} <= now(), true)) as waiting`)
    .groupBy(sql`job`)
    .orderBy(sql`job`);
