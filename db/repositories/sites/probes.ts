import { sql } from 'drizzle-orm';
import type { StateFacts } from '../../../shared/kernel/observability/component-state.ts';
import type { Db } from '../../client.ts';
import { jobWorkers } from '../../schema/jobs/workers.ts';
import { type CertificateFacts, dispatchers, type NodeDomain } from '../../schema/sites/dispatchers.ts';
import { farms } from '../../schema/sites/farms.ts';
import { sites } from '../../schema/sites/sites.ts';
import { type ForwardState, forwardFacts } from '../audit/forwards.ts';
import { parameterOverrides } from '../identity/login/sessions.ts';
import { siteFacts as siteStateFacts } from '../monitoring/component-state.ts';
import { insertMonitoring, type MonitoringEntry, monitoringRow } from '../monitoring/records.ts';
import { derived } from '../records/statements.ts';
import { isTransition } from './dispatcher-status.ts';

/**
 * A dispatcher with the settings for a probe. `health_key` is sealed, `ca_certificate` is PEM, `status` is that of
 * the last probe.
 */
export type ProbeTarget = {
  id: string;
  revision: number;
  status: 'pass' | 'fail' | 'unauthorized' | 'unknown';
  kind: string;
  name: string;
  url: string;
  verify_tls: boolean;
  ca_certificate: string | null;
  health_key: string | null;
  timeout_ms: number;
  account_domain: string | null;
  account_name: string | null;
  /** Sealed. */
  account_password: string | null;
};

/** The result of a probe. A null value keeps the stored value, except for `response_time_ms` and `last_error`. */
export type ProbeOutcome = {
  id: string;
  /** Revision of the probed row. The result is discarded if the node was changed meanwhile. */
  revision: number;
  status: 'pass' | 'fail' | 'unauthorized';
  last_error: string | null;
  response_time_ms: number | null;
  version: string | null;
  certificate: CertificateFacts | null;
  domains: NodeDomain[] | null;
  /** Written if the node begins to fail, or recovers. */
  record: MonitoringEntry;
};

/** An outcome with the time in milliseconds between the end of its probe and the write. */
export type AgedOutcome = ProbeOutcome & { age_ms: number };

/** State of a site by the last probes. */
export type SiteFacts = StateFacts & { uri: string };

/** Data of the health check: overrides of system parameters, hosts with a live worker, and all sites by uri. */
export type HealthFacts = {
  overrides: Record<string, unknown> | null;
  workers: string[];
  sites: SiteFacts[];
  forwards: ForwardState[];
};

/** `targets` are null if `fingerprint` equals the one of the caller: nothing has changed. */
export type ProbePlan = { fingerprint: string; targets: ProbeTarget[] | null };

const probedNodes = sql`
  ${dispatchers} join ${farms} on ${farms.id} = ${dispatchers.farm_id} and ${farms.enabled}
  join ${sites} on ${sites.id} = ${farms.site_id} and ${sites.enabled} where ${dispatchers.enabled}`;

/** Changes with each change of the plan. */
export const planFingerprint = derived<string>(sql`
  select md5(coalesce(string_agg(concat_ws(' ', ${dispatchers.id}, ${dispatchers.revision}, md5(${dispatchers.health_key}),
    md5(${dispatchers.account_password})),
    ',' order by ${dispatchers.id}), '')) from ${probedNodes}`);

/**
 * Returns enabled dispatchers of enabled farms and sites, oldest probe first, in one statement. The plan is read every
 * few seconds, so certificates and keys are transferred only after a change.
 */
export async function probePlan(db: Db, known: string | undefined): Promise<ProbePlan> {
  const targets = derived<ProbeTarget[]>(sql`
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', ${dispatchers.id}, 'revision', ${dispatchers.revision}, 'status', ${dispatchers.status},
      'kind', ${dispatchers.kind}, 'name', ${dispatchers.name}, 'url', ${dispatchers.url}, 'verify_tls', ${dispatchers.verify_tls},
      'ca_certificate', ${dispatchers.ca_certificate}, 'health_key', ${dispatchers.health_key},
      'timeout_ms', ${dispatchers.timeout_ms}, 'account_domain', ${dispatchers.account_domain},
      'account_name', ${dispatchers.account_name}, 'account_password', ${dispatchers.account_password}) order by ${dispatchers.last_check_at} nulls first), '[]')
    from ${probedNodes}`);
  const isChanged = sql`fingerprint is distinct from ${known ?? null}::text`;
  const [plan] = await db
    .select({
      fingerprint: sql<string>`fingerprint`,
      targets: derived<ProbeTarget[] | null>(sql`select case when ${isChanged} then ${targets} end`),
    })
    .from(sql`(select ${planFingerprint} as fingerprint) as plan`);
  if (!plan) throw new Error('a select without a table gave no row');
  return plan;
}

/**
 * Writes probe results and monitoring records in one statement. A concurrent call waits for the row lock and then
 * writes no second record. `revision` and `updated_at` do not change, because they count writes of administrators. Rows
 * are locked in order of id to avoid deadlocks. A result does not replace a later one; a stored time in the future comes
 * from a wrong clock and counts as earlier.
 */
export async function recordProbes(db: Db, outcomes: readonly AgedOutcome[]): Promise<void> {
  if (outcomes.length === 0) return;
  const rows = outcomes.map((outcome) => ({ ...outcome, record: monitoringRow(outcome.record) }));
  await db.execute(sql`
    with seen as (
      select *, now() - age_ms * interval '1 millisecond' as at
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r(id uuid, revision int, status text,
        last_error text, response_time_ms int, version text, certificate jsonb, domains jsonb, age_ms float8, record jsonb)
    ), kept as (
      select d.id, d.status as before from ${dispatchers} d join seen on seen.id = d.id and seen.revision = d.revision
        and coalesce(d.last_check_at not between seen.at and now(), true)
      order by d.id for no key update of d
    ), written as (
      update ${dispatchers} d set
        status = seen.status, last_error = seen.last_error, last_check_at = seen.at,
        response_time_ms = seen.response_time_ms, version = coalesce(seen.version, d.version),
        certificate = coalesce(nullif(seen.certificate, 'null'), d.certificate),
        domains = coalesce(nullif(seen.domains, 'null'), d.domains),
        domains_at = case when nullif(seen.domains, 'null') is null then d.domains_at else seen.at end
      from seen join kept on kept.id = seen.id where d.id = kept.id
      returning seen.record, kept.before, d.status
    ), news as (select record from written where ${isTransition(sql`before`, sql`status`)})
    ${insertMonitoring(sql`news`)}`);
}

/** Returns the data of the health check in one statement. Ages are by the clock of the database, like the timestamps. */
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

const siteFacts = derived<SiteFacts[]>(sql`
  select coalesce(jsonb_agg(jsonb_build_object('uri', ${sites.uri}) || ${siteStateFacts} order by ${sites.uri}), '[]')
  from ${sites}`);
