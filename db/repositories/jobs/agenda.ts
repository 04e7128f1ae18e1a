import { type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../client.ts';
import { auditEvents } from '../../schema/audit/events.ts';
import { auditHead } from '../../schema/audit/head.ts';
import { auditRefusals } from '../../schema/audit/refusals.ts';
import { gateways } from '../../schema/gateways/gateways.ts';
import { gatewayTunnels } from '../../schema/gateways/tunnels.ts';
import { providerGrants } from '../../schema/identity/providers/grants.ts';
import { jobOutbox } from '../../schema/jobs/outbox.ts';
import { telemetryBatches, telemetryMarks } from '../../schema/monitoring/telemetry.ts';
import { endedNodeKeys } from '../../schema/routing/ended-node-keys.ts';
import { dispatchers } from '../../schema/sites/dispatchers.ts';
import { nextMailAt } from '../alerts/alerts.ts';
import { type ForwardState, forwardFacts } from '../audit/forwards.ts';
import { silenceAt } from '../gateways/heartbeats.ts';
import { parameterOverrides } from '../identity/login/sessions.ts';
import { isMaintained, nextMaintenanceAt } from '../maintenance/agenda.ts';
import { derived } from '../records/statements.ts';
import { planFingerprint } from '../sites/probes.ts';
import { hasFailingFarm, hasNewFarm } from '../snapshot/farms.ts';
import { nextAttemptAt } from '../webhooks/attempts.ts';
import { hasChangesForEvents } from '../webhooks/fan-out.ts';

/** Milliseconds until work is due, not positive if it is due now; null without work. */
export type DueIn = number | null;

/** What the leader has to do, by the clock of the database. */
export type Agenda = {
  /** Unsealed events. */
  audit: DueIn;
  /** Counted refusals of past minutes. */
  refusals: DueIn;
  /** Counts of other processes, and logins, that are not in the sums. */
  telemetry: DueIn;
  /** Open circuits whose next trial call is due. */
  circuits: DueIn;
  /** Ended session keys that nodes must revoke. */
  ended_keys: DueIn;
  /** Gateways whose heartbeats stop being recent. */
  gateways: DueIn;
  /** Open tunnels. */
  tunnels: DueIn;
  /** Farms of which a list was never read. */
  new_farms: DueIn;
  /** Farms of which the last read of a list failed. */
  failing_farms: DueIn;
  /** The next start, warning or end of a maintenance, and changes of flags. */
  maintenance: DueIn;
  /** Whether a maintenance is in effect or announced, so that steps may have to be repeated. */
  is_maintained: boolean;
  /** Kinds of jobs in the outbox. */
  outbox: string[];
  /** Jobs of the queue by kind. */
  queue: Record<string, number>;
  /** Whether an attempt of a job runs. */
  is_working: boolean;
  /** Changes whose events are not queued. */
  events: DueIn;
  /** The next attempt to deliver an event. */
  webhooks: DueIn;
  /** The next mail about critical monitoring records. */
  alerts: DueIn;
  /** The next check of a grant of an identity provider. */
  provider_grants: DueIn;
  /** Fingerprint of the probe plan. */
  plan: string;
  /** Overrides of system parameters. */
  overrides: Record<string, unknown> | null;
  /** Number of the last sealed event. */
  sealed_to: number;
  forwards: ForwardState[];
};

const until = (at: SQL): SQL => sql`(extract(epoch from ${at} - now()) * 1000)::float8`;
const ifAny = (source: SQL): SQL<DueIn> => derived(sql`select 0::float8 from ${source} limit 1`);
const earliest = (at: SQL, source: SQL): SQL<DueIn> =>
  derived(sql`select ${until(sql`min(${at})`)} from ${source}`);

const columns: { [K in keyof Agenda]: SQL<Agenda[K]> } = {
  audit: ifAny(sql`${auditEvents} where ${auditEvents.seq} is null`),
  refusals: earliest(sql`${auditRefusals.minute} + interval '61 seconds'`, sql`${auditRefusals}`),
  telemetry: derived(sql`select case when exists (select from ${telemetryBatches}) or
    (select max(seq) from ${auditHead}) > (select seq from ${telemetryMarks} where name = 'logins')
    then 0::float8 end`),
  circuits: earliest(
    sql`coalesce(${dispatchers.circuit_probe_until}, now())`,
    sql`${dispatchers} where ${dispatchers.enabled} and ${dispatchers.circuit} <> 'closed'`,
  ),
  ended_keys: earliest(
    sql`${endedNodeKeys.log_out_after}`,
    sql`${endedNodeKeys} where ${endedNodeKeys.expires_at} > now()`,
  ),
  gateways: earliest(silenceAt.at, sql`${gateways} where ${silenceAt.where}`),
  tunnels: ifAny(sql`${gatewayTunnels} where ${gatewayTunnels.stopped_at} is null`),
  new_farms: derived(sql`select case when ${hasNewFarm} then 0::float8 end`),
  failing_farms: derived(sql`select case when ${hasFailingFarm} then 0::float8 end`),
  maintenance: derived(sql`select ${until(nextMaintenanceAt)}`),
  is_maintained: isMaintained,
  outbox: derived(sql`select coalesce(jsonb_agg(distinct ${jobOutbox.kind}), '[]') from ${jobOutbox}`),
  queue: derived(sql`select coalesce(jsonb_object_agg(name, due), '{}') from (
    select name, ${until(sql`min(start_after)`)} as due from pgboss.job where state < 'active' group by name) as waiting`),
  is_working: derived(sql`select exists (select from pgboss.job where state = 'active')`),
  events: derived(sql`select case when ${hasChangesForEvents} then 0::float8 end`),
  webhooks: derived(sql`select ${until(nextAttemptAt)}`),
  alerts: derived(sql`select ${until(nextMailAt)}`),
  provider_grants: earliest(sql`${providerGrants.next_check_at}`, sql`${providerGrants}`),
  plan: planFingerprint,
  overrides: parameterOverrides,
  sealed_to: derived<number>(sql`select max(seq) from ${auditHead}`).mapWith(Number),
  forwards: forwardFacts,
};

/** Reads everything that can make a task of the leader due, in one statement. */
export async function readAgenda(db: Db): Promise<Agenda> {
  const [agenda] = await db.select(columns).from(sql`(values (1)) as once`);
  if (!agenda) throw new Error('a select without a table gave no row');
  return agenda;
}
