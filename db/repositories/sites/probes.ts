import { sql } from 'drizzle-orm';
import type { DispatcherKindName } from '../../../shared/kernel/dispatcher-kinds.ts';
import type { StateFacts } from '../../../shared/kernel/observability/component-state.ts';
import type { Db } from '../../client.ts';
import { auditForwards } from '../../schema/audit/forwards.ts';
import { jobWorkers } from '../../schema/jobs/workers.ts';
import { type CertificateFacts, dispatchers, type NodeDomain } from '../../schema/sites/dispatchers.ts';
import { farms } from '../../schema/sites/farms.ts';
import { sites } from '../../schema/sites/sites.ts';
import type { ForwardState } from '../audit/forwards.ts';
import { parameterOverrides } from '../identity/login/sessions.ts';
import { siteFacts as siteStateFacts } from '../monitoring/component-state.ts';
import { insertMonitoring, type MonitoringEntry, monitoringRow } from '../monitoring/records.ts';
import { derived } from '../records/statements.ts';
import { isTransition } from './dispatcher-status.ts';

/** A dispatcher as a probe needs it; `health_key` is sealed, `ca_certificate` PEM, `status` that of the last probe. */
export type ProbeTarget = {
  id: string;
  revision: number;
  status: 'pass' | 'fail' | 'unauthorized' | 'unknown';
  kind: DispatcherKindName;
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

/** An outcome that is to be written `age_ms` milliseconds after the end of its probe. */
export type AgedOutcome = ProbeOutcome & { age_ms: number };

/** A site by the last probes. */
export type SiteFacts = StateFacts & { uri: string };

/** Overrides of system parameters by name, hosts with a live worker, all sites in order of their uri. */
export type HealthFacts = {
  overrides: Record<string, unknown> | null;
  workers: string[];
  sites: SiteFacts[];
  forwards: ForwardState[];
};

/** `targets` are null when `fingerprint` is the one that was given: nothing has changed. */
export type ProbePlan = { fingerprint: string; targets: ProbeTarget[] | null };

const probedNodes = sql`
  ${dispatchers} join ${farms} on ${farms.id} = ${dispatchers.farm_id} and ${farms.enabled}
  join ${sites} on ${sites.id} = ${farms.site_id} and ${sites.enabled} where ${dispatchers.enabled}`;

/**
 * Enabled dispatchers of enabled farms of enabled sites, those first whose last probe is the oldest; one statement. It
 * is read every few seconds, so that certificates and keys are transferred only after a change.
 */
export async function probePlan(db: Db, known: string | undefined): Promise<ProbePlan> {
  const fingerprint = derived<string>(sql`
    select md5(coalesce(string_agg(concat_ws(' ', ${dispatchers.id}, ${dispatchers.revision}, md5(${dispatchers.health_key})),
      ',' order by ${dispatchers.id}), '')) from ${probedNodes}`);
  const targets = derived<ProbeTarget[]>(sql`
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', ${dispatchers.id}, 'revision', ${dispatchers.revision}, 'status', ${dispatchers.status},
      'kind', ${dispatchers.kind}, 'name', ${dispatchers.name}, 'url', ${dispatchers.url}, 'verify_tls', ${dispatchers.verify_tls},
      'ca_certificate', ${dispatchers.ca_certificate}, 'health_key', ${dispatchers.health_key},
      'timeout_ms', ${dispatchers.timeout_ms}) order by ${dispatchers.last_check_at} nulls first), '[]')
    from ${probedNodes}`);
  const isChanged = sql`fingerprint is distinct from ${known ?? null}::text`;
  const [plan] = await db
    .select({
      fingerprint: sql<string>`fingerprint`,
      targets: derived<ProbeTarget[] | null>(sql`select case when ${isChanged} then ${targets} end`),
    })
    .from(sql`(select ${fingerprint} as fingerprint) as plan`);
  if (!plan) throw new Error('a select without a table gave no row');
  return plan;
}

/**
 * Writes what probes saw and what is news of it, one statement for all: of two sidecars that see one change, the second
 * waits for the row and finds it told. `revision` and `updated_at` stay: no administrator changed anything. The rows
 * are locked in order of their ids, so that two sidecars wait for each other and never in a circle. A result does not
 * replace a later one; a stored time in the future is that of another clock and counts as earlier.
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
  select coalesce(jsonb_agg(jsonb_build_object('uri', ${sites.uri}) || ${siteStateFacts} order by ${sites.uri}), '[]')
  from ${sites}`);
