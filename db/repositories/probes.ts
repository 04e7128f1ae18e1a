import { sql } from 'drizzle-orm';
import type { Db } from '../client.ts';
import { auditForwards } from '../schema/audit-forwards.ts';
import { type CertificateFacts, dispatchers, type NodeDomain } from '../schema/dispatchers.ts';
import { farms } from '../schema/farms.ts';
import { jobWorkers } from '../schema/job-workers.ts';
import { sites } from '../schema/sites.ts';
import type { ForwardState } from './audit-forwards.ts';
import { isTransition } from './dispatcher-status.ts';
import { parameterOverrides } from './login-sessions.ts';
import { isInMaintenance } from './maintenance-state.ts';
import { insertMonitoring, type MonitoringEntry, monitoringRow } from './monitoring.ts';
import { derived } from './statements.ts';

/** A dispatcher as a probe needs it; `health_key` is sealed, `ca_certificate` PEM. */
export type ProbeTarget = {
  id: string;
  revision: number;
  name: string;
  url: string;
  verify_tls: boolean;
  ca_certificate: string | null;
  health_key: string | null;
  timeout_ms: number;
};

/** What a probe saw; null for what it could not see, where the former value then stays (but the time and the error). */
export type ProbeOutcome = {
  id: string;
  /** Of the row that was probed: the result of a node that was changed meanwhile is not kept. */
  revision: number;
  status: 'pass' | 'fail' | 'unauthorized';
  last_error: string | null;
  response_time_ms: number | null;
  version: string | null;
  certificate: CertificateFacts | null;
  domains: NodeDomain[] | null;
  /** Written when the node begins to fail by this, or passes again. */
  record: MonitoringEntry;
};

/** A site by the last probes; `pass_age_s` is the age of its youngest passing probe. */
export type SiteFacts = {
  uri: string;
  enabled: boolean;
  maintenance: boolean;
  /** Nodes that are probed: enabled, in an enabled farm. */
  nodes: number;
  pass_age_s: number | null;
};

/** Overrides of system parameters by name, hosts with a live worker, all sites in order of their uri. */
export type HealthFacts = {
  overrides: Record<string, unknown> | null;
  workers: string[];
  sites: SiteFacts[];
  forwards: ForwardState[];
};

type ProbePlan = { overrides: Record<string, unknown> | null; targets: ProbeTarget[] };

/** Enabled dispatchers of enabled farms of enabled sites, and the parameters; one statement. */
export async function probePlan(db: Db): Promise<ProbePlan> {
  const targets = derived<ProbeTarget[]>(sql`
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', ${dispatchers.id}, 'revision', ${dispatchers.revision}, 'name', ${dispatchers.name},
      'url', ${dispatchers.url}, 'verify_tls', ${dispatchers.verify_tls},
      'ca_certificate', ${dispatchers.ca_certificate}, 'health_key', ${dispatchers.health_key},
      'timeout_ms', ${dispatchers.timeout_ms}) order by ${dispatchers.last_check_at} nulls first), '[]')
    from ${dispatchers} join ${farms} on ${farms.id} = ${dispatchers.farm_id} and ${farms.enabled}
    join ${sites} on ${sites.id} = ${farms.site_id} and ${sites.enabled} where ${dispatchers.enabled}`);
  const [plan] = await db.select({ overrides: parameterOverrides, targets }).from(sql`(values (1)) as once`);
  return plan ?? { overrides: null, targets: [] };
}

/**
 * Writes what probes saw and what is news of it, one statement for all: of two sidecars that see one change, the second
 * waits for the row and finds it told. `revision` and `updated_at` stay: no administrator changed anything. The rows
 * are locked in order of their ids, so that two sidecars wait for each other and never in a circle.
 */
export async function recordProbes(db: Db, outcomes: readonly ProbeOutcome[]): Promise<void> {
  if (outcomes.length === 0) return;
  const rows = outcomes.map((outcome) => ({ ...outcome, record: monitoringRow(outcome.record) }));
  await db.execute(sql`
    with seen as (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r(id uuid, revision int, status text,
        last_error text, response_time_ms int, version text, certificate jsonb, domains jsonb, record jsonb)
    ), kept as (
      select d.id, d.status as before from ${dispatchers} d join seen on seen.id = d.id and seen.revision = d.revision
      order by d.id for no key update of d
    ), written as (
      update ${dispatchers} d set
        status = seen.status, last_error = seen.last_error, last_check_at = now(),
        response_time_ms = seen.response_time_ms, version = coalesce(seen.version, d.version),
        certificate = coalesce(nullif(seen.certificate, 'null'), d.certificate),
        domains = coalesce(nullif(seen.domains, 'null'), d.domains),
        domains_at = case when nullif(seen.domains, 'null') is null then d.domains_at else now() end
      from seen join kept on kept.id = seen.id where d.id = kept.id
      returning seen.record, kept.before, d.status
    ), news as (select record from written where ${isTransition(sql`before`, sql`status`)})
    ${insertMonitoring(sql`news`)}`);
}

/** What the health check tells, one statement. Ages are by the database's clock, which also wrote the moments. */
export async function healthFacts(db: Db, workerLivesS: number): Promise<HealthFacts> {
  const workers = derived<string[]>(sql`
    select coalesce(jsonb_agg(distinct ${jobWorkers.host} order by ${jobWorkers.host}), '[]') from ${jobWorkers}
    where ${jobWorkers.last_seen_at} > now() - make_interval(secs => ${workerLivesS})`);
  const [facts] = await db
    .select({ overrides: parameterOverrides, workers, sites: siteFacts, forwards: forwardFacts })
    .from(sql`(values (1)) as once`);
  if (!facts) throw new Error('a select without a table gave no row');
  return facts;
}

const forwardFacts = derived<ForwardState[]>(sql`
  select coalesce(jsonb_agg(jsonb_build_object('target', ${auditForwards.target}, 'seq', ${auditForwards.seq},
    'error', ${auditForwards.error},
    'checkedAgeS', extract(epoch from now() - ${auditForwards.checked_at})::float8)), '[]') from ${auditForwards}`);

const siteFacts = derived<SiteFacts[]>(sql`
  select coalesce(jsonb_agg(to_jsonb(site) order by site.uri), '[]') from (
    select ${sites.uri}, ${sites.enabled}, ${isInMaintenance(sites)} as maintenance, count(${dispatchers.id})::int as nodes,
      min(extract(epoch from now() - ${dispatchers.last_check_at})::float8)
        filter (where ${dispatchers.status} = 'pass') as pass_age_s
    from ${sites} left join ${farms} on ${farms.site_id} = ${sites.id} and ${farms.enabled}
    left join ${dispatchers} on ${dispatchers.farm_id} = ${farms.id} and ${dispatchers.enabled}
    group by ${sites.id}) site`);
