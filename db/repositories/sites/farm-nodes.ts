import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { dispatcherSessions } from '../../schema/routing/dispatcher-sessions.ts';
import { dispatchers, type NodeDomain } from '../../schema/sites/dispatchers.ts';
import { farms, type IdentityDomain } from '../../schema/sites/farms.ts';
import { derived } from '../records/statements.ts';

/** Settings of a node by administrators. A change increments the version of the topology. */
export type NodeAddress = {
  id: string;
  farm_id: string;
  kind: string;
  name: string;
  url: string;
  priority: number;
  verify_tls: boolean;
  ca_certificate: string | null;
  timeout_ms: number;
  account_domain: string | null;
  account_name: string | null;
  /** Sealed. */
  account_password: string | null;
  public_url: string | null;
  sends_client_address: boolean;
  creates_users: boolean;
  identity_domains: IdentityDomain[];
};

/** State of a node from calls and probes, and its keys for the user and for the portal itself; timestamps as text. */
export type NodeState = {
  id: string;
  status: 'pass' | 'fail' | 'unauthorized' | 'unknown';
  response_time_ms: number | null;
  circuit: 'closed' | 'open' | 'half_open';
  circuit_failures: number;
  /** True if an open circuit may be tried now. */
  circuit_due: boolean;
  domains: NodeDomain[] | null;
  domains_at: string | null;
  keys: { subject: string; sealed_key: string; expires_at: string }[];
};

export type FarmNode = NodeAddress & NodeState;

/** Addresses of the enabled nodes of these enabled farms. */
export const nodeAddresses = (ofFarms: SQL): SQL<NodeAddress[]> => nodesOf(ofFarms, address);

/**
 * State of the same nodes, with the unexpired keys for the portal itself.
 * @param keysOf condition for further keys
 */
export const nodeStates = (ofFarms: SQL, keysOf: SQL): SQL<NodeState[]> =>
  nodesOf(ofFarms, condition(keysOf));

/** Address and state of each node, with the keys for the portal itself. */
export const farmNodes = (ofFarms: SQL): SQL<FarmNode[]> =>
  nodesOf(ofFarms, sql`${address}, ${condition(sql`false`)}`);

/** The same for the enabled nodes with a closed circuit of the farm in this column. */
export const availableNodes = (farm: PgColumn): SQL<FarmNode[]> =>
  derived(sql`
    select coalesce(json_agg(json_build_object('id', ${dispatchers.id}, ${address}, ${condition(sql`false`)})), '[]')
    from ${dispatchers}
    where ${dispatchers.farm_id} = ${farm} and ${dispatchers.enabled} and ${dispatchers.circuit} = 'closed'`);

const nodesOf = <T>(ofFarms: SQL, members: SQL): SQL<T> =>
  sql`${sql`(
  select coalesce(json_agg(json_build_object('id', ${dispatchers.id}, ${members})), '[]')
  from ${dispatchers} join ${farms} on ${farms.id} = ${dispatchers.farm_id}
  where ${ofFarms} and ${dispatchers.enabled} and ${farms.enabled})`}`;

const ofFarm = (column: SQL): SQL =>
  sql`(select ${column} from ${farms} f where f.id = ${dispatchers.farm_id})`;

const address = sql`'farm_id', ${dispatchers.farm_id}, 'kind', ${dispatchers.kind},
  'name', ${dispatchers.name}, 'url', ${dispatchers.url}, 'priority', ${dispatchers.priority}, 'verify_tls', ${dispatchers.verify_tls},
  'ca_certificate', ${dispatchers.ca_certificate}, 'timeout_ms', ${dispatchers.timeout_ms}, 'account_domain', ${dispatchers.account_domain},
  'account_name', ${dispatchers.account_name}, 'account_password', ${dispatchers.account_password},
  'public_url', ${dispatchers.public_url}, 'sends_client_address', ${dispatchers.sends_client_address},
  'creates_users', ${ofFarm(sql`f.creates_users`)},
  'identity_domains', ${ofFarm(sql`f.identity_domains`)}`;

const now = sql`now()`;

const condition = (keysOf: SQL): SQL => sql`'status', ${dispatchers.status},
  'response_time_ms', ${dispatchers.response_time_ms}, 'circuit', ${dispatchers.circuit},
  'circuit_failures', ${dispatchers.circuit_failures},
  'circuit_due', coalesce(${dispatchers.circuit_probe_until} <= ${now}, true), 'domains', ${dispatchers.domains},
  'domains_at', ${dispatchers.domains_at}, 'keys', (
    select coalesce(json_agg(json_build_object('subject', ${dispatcherSessions.subject},
      'sealed_key', ${dispatcherSessions.sealed_key}, 'expires_at', ${dispatcherSessions.expires_at})), '[]')
    from ${dispatcherSessions} where ${dispatcherSessions.dispatcher_id} = ${dispatchers.id}
      and (${keysOf} or ${dispatcherSessions.subject} = 'aggregator')
      and ${dispatcherSessions.expires_at} > ${now})`;
