import { Gauge, type Registry } from 'prom-client';
import type {
  FarmGauges,
  FleetGauges,
  JobsWaiting,
  NodeGauges,
} from '../../db/repositories/monitoring/fleet-gauges.ts';
import { componentStates, stateOf } from '../../shared/kernel/observability/component-state.ts';
import { isFailing, type SiteState } from './site-states.ts';

/** Current state of sites, farms, dispatchers and jobs. `freshS`: seconds for which a passed probe is valid. */
export type FleetData = {
  sites: readonly SiteState[];
  gauges: FleetGauges;
  jobs: readonly JobsWaiting[];
  freshS: number;
};

type Point = { labels: Record<string, string>; value: number };
type Family = {
  name: string;
  help: string;
  labelNames: readonly string[];
  points: (f: FleetData) => Point[];
};

/** Adds the families of sites, farms, dispatchers and jobs. They have no series until the first read succeeds. */
export function addFleet(registry: Registry, facts: FleetData | undefined): void {
  for (const { points, ...family } of families) {
    const gauge = new Gauge({ ...family, registers: [registry] });
    for (const { labels, value } of facts ? points(facts) : []) gauge.set(labels, value);
  }
}

const circuits = { closed: 0, half_open: 1, open: 2 } as const;

/** Whether the last probe passed; maintenance does not matter. */
const isUp = ({ state_facts }: NodeGauges, freshS: number): boolean =>
  stateOf({ ...state_facts, maintenance: false }, freshS) === 'pass';

/** Disabled nodes are not probed, so they have a state and no other series. */
const enabledNodes = ({ gauges }: FleetData): NodeGauges[] =>
  gauges.nodes.filter(({ state_facts }) => state_facts.enabled);

/** Returns one series per state. */
const stateSet = (current: string, labels: Record<string, string>): Point[] =>
  componentStates.map((state) => ({ labels: { ...labels, state }, value: Number(state === current) }));

const families: readonly Family[] = [
  {
    name: 'aggregator_site_up',
    help: '1 if the site passes the health check, 0 if it fails',
    labelNames: ['site'],
    points: ({ sites }) =>
      sites.map((site) => ({ labels: { site: site.uri }, value: Number(!isFailing(site)) })),
  },
  {
    name: 'aggregator_site_state',
    help: '1 for the state of the site, 0 for every other state',
    labelNames: ['site', 'state'],
    points: ({ sites }) => sites.flatMap((site) => stateSet(site.state, { site: site.uri })),
  },
  {
    name: 'aggregator_farm_state',
    help: '1 for the state of the farm, 0 for every other state; maintenance and disabled include those of its site',
    labelNames: ['site', 'farm', 'state'],
    points: ({ gauges, freshS }) =>
      gauges.farms.flatMap((farm) => stateSet(stateOf(farm.state_facts, freshS), farmLabels(farm))),
  },
  {
    name: 'aggregator_dispatcher_state',
    help: '1 for the state of the dispatcher, 0 for every other state; maintenance is that of its farm or site, disabled includes theirs',
    labelNames: ['site', 'farm', 'dispatcher', 'state'],
    points: ({ gauges, freshS }) =>
      gauges.nodes.flatMap((node) => stateSet(stateOf(node.state_facts, freshS), dispatcherLabels(node))),
  },
  {
    name: 'aggregator_dispatcher_up',
    help: '1 if the last probe of the dispatcher passed and is recent',
    labelNames: ['site', 'farm', 'dispatcher'],
    points: (facts) =>
      enabledNodes(facts).map((node) => ({
        labels: dispatcherLabels(node),
        value: Number(isUp(node, facts.freshS)),
      })),
  },
  {
    name: 'aggregator_dispatcher_failure',
    help: '1 for the reason for which the last probe of the dispatcher failed',
    labelNames: ['site', 'farm', 'dispatcher', 'reason'],
    points: (facts) =>
      enabledNodes(facts).flatMap((node) =>
        node.reason === null
          ? []
          : [{ labels: { ...dispatcherLabels(node), reason: node.reason }, value: 1 }],
      ),
  },
  {
    name: 'aggregator_gateway_up',
    help: '1 if the gateway sent a heartbeat within the last minute, otherwise 0',
    labelNames: ['gateway'],
    points: ({ gauges }) =>
      gauges.gateways.map(({ gateway, is_up }) => ({ labels: { gateway }, value: Number(is_up) })),
  },
  {
    name: 'aggregator_directory_account_refused',
    help: '1 while the directory of the domain rejects the password of the search account',
    labelNames: ['domain'],
    points: ({ gauges }) =>
      gauges.directories.map(({ domain, is_refused }) => ({ labels: { domain }, value: Number(is_refused) })),
  },
  {
    name: 'aggregator_provider_up',
    help: '0 while the identity provider of the domain does not answer or refuses the portal, otherwise 1',
    labelNames: ['domain'],
    points: ({ gauges }) =>
      gauges.providers.map(({ domain, is_failing }) => ({ labels: { domain }, value: Number(!is_failing) })),
  },
  {
    name: 'aggregator_provider_checks_oldest_seconds',
    help: 'Time since the oldest check of a session at the identity provider of the domain, or 0 without one',
    labelNames: ['domain'],
    points: ({ gauges }) =>
      gauges.providers.map(({ domain, oldest_s }) => ({ labels: { domain }, value: oldest_s })),
  },
  {
    name: 'aggregator_circuit_state',
    help: 'State of the circuit breaker of the dispatcher: 0 closed, 1 half open, 2 open',
    labelNames: ['dispatcher'],
    points: (facts) =>
      enabledNodes(facts).map(({ dispatcher, circuit }) => ({
        labels: { dispatcher },
        value: circuits[circuit],
      })),
  },
  {
    name: 'aggregator_certificate_not_after_seconds',
    help: 'Expiration time of the certificate of the dispatcher, in Unix seconds',
    labelNames: ['dispatcher'],
    points: (facts) =>
      enabledNodes(facts).flatMap(({ dispatcher, not_after_s }) =>
        not_after_s === null ? [] : [{ labels: { dispatcher }, value: not_after_s }],
      ),
  },
  {
    name: 'aggregator_snapshot_age_seconds',
    help: 'Age of the oldest part of the data of the farm',
    labelNames: ['farm'],
    points: ({ gauges }) =>
      gauges.farms.flatMap(({ farm, snapshot_age_s }) =>
        snapshot_age_s === null ? [] : [{ labels: { farm }, value: snapshot_age_s }],
      ),
  },
  {
    name: 'aggregator_snapshot_ignored',
    help: 'Rows of a list of the farm in which this field was ignored, by reason',
    labelNames: ['farm', 'list', 'member', 'reason'],
    points: ({ gauges }) => gauges.ignored.map(({ count, ...labels }) => ({ labels, value: count })),
  },
  {
    name: 'aggregator_jobs_waiting',
    help: 'Queued jobs that are ready to run',
    labelNames: ['job'],
    points: ({ jobs }) => jobs.map(({ job, waiting }) => ({ labels: { job }, value: waiting })),
  },
  {
    name: 'aggregator_jobs_oldest_seconds',
    help: 'Age of the oldest job that is ready to run',
    labelNames: ['job'],
    points: ({ jobs }) => jobs.map(({ job, oldest_s }) => ({ labels: { job }, value: oldest_s })),
  },
  {
    name: 'aggregator_webhook_up',
    help: '0 while deliveries of the webhook fail, otherwise 1',
    labelNames: ['webhook'],
    points: ({ gauges }) =>
      gauges.webhooks.map(({ webhook, is_failing }) => ({ labels: { webhook }, value: Number(!is_failing) })),
  },
  {
    name: 'aggregator_webhook_events_waiting',
    help: 'Events that wait for their delivery to a webhook',
    labelNames: [],
    points: ({ gauges }) => [{ labels: {}, value: gauges.webhook_events_waiting }],
  },
  {
    name: 'aggregator_webhook_events_oldest_seconds',
    help: 'Age of the oldest event that waits for its delivery to a webhook, or 0 without one',
    labelNames: [],
    points: ({ gauges }) => [{ labels: {}, value: gauges.webhook_events_oldest_s }],
  },
  {
    name: 'aggregator_audit_unsealed',
    help: 'Audit events that are not sealed yet',
    labelNames: [],
    points: ({ gauges }) => [{ labels: {}, value: gauges.audit_unsealed }],
  },
  {
    name: 'aggregator_audit_unsealed_age_seconds',
    help: 'Age of the oldest audit event that is not sealed yet, or 0 if all are sealed',
    labelNames: [],
    points: ({ gauges }) => [{ labels: {}, value: gauges.audit_unsealed_age_s }],
  },
];

const farmLabels = ({ site, farm }: FarmGauges) => ({ site, farm });
const dispatcherLabels = ({ site, farm, dispatcher }: NodeGauges) => ({ site, farm, dispatcher });
