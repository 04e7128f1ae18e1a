import { eq, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { parseUserName, personKey } from '../../../shared/kernel/names/user-names.ts';
import { foldName } from '../../../shared/kernel/text.ts';
import { gatewayTickets } from '../../schema/gateways/tickets.ts';
import { gatewayTunnels } from '../../schema/gateways/tunnels.ts';
import { farmTags } from '../../schema/sites/farm-tags.ts';
import type { PartKind } from '../../schema/snapshot/farm-parts.ts';
import { pools } from '../../schema/snapshot/pools.ts';
import { workplaceSessions } from '../../schema/snapshot/workplace-sessions.ts';
import { workplaces } from '../../schema/snapshot/workplaces.ts';
import type { ListSpec, Selection } from '../records/records.ts';
import { derived } from '../records/statements.ts';
import { isOfferedDirectly } from '../routing/rule-pools.ts';
import type { PartTable } from './parts.ts';
import { isKeyOfUser } from './person-keys.ts';

/**
 * A merged list of objects of all farms. The members are those of the API; members of the farm are added. `found` are
 * filters with a selective index over all farms; `inFarm` are filters whose index begins with the farm.
 */
export type MergedSpec = Omit<ListSpec<Selection>, 'table' | 'site' | 'parent'> & {
  kind: PartKind;
  table: PartTable;
  found: readonly string[];
  inFarm: readonly string[];
};

/** RFC 3339 in UTC with milliseconds, as in API responses. */
export const momentText = (moment: PgColumn | SQL): SQL =>
  sql`to_char(${moment} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const hasTag = (tags: PgColumn) => (name: string) => sql`${tags} @> array[${name}]::text[]`;

/** `label\\name` matches one user, also where a node writes it with a suffix; a name without a label all users with it. */
const isPerson = (key: PgColumn) => (name: string) =>
  name.includes('\\')
    ? isKeyOfUser(key, personKey(parseUserName(name)))
    : sql`substr(${key}, strpos(${key}, chr(92)) + 1) = ${foldName(name)}`;

const equal = (column: PgColumn) => (value: string | boolean) => eq(column, value);

/** The pool name in the row of the node, otherwise the name in the list of pools. */
const poolName = (table: typeof workplaces | typeof workplaceSessions): SQL =>
  sql`coalesce(nullif(${table.servicepool_name}, ''), ${derived(sql`select ${pools.name} from ${pools}
    where ${pools.farm_id} = ${table.farm_id} and ${pools.uuid} = ${table.servicepool_uuid}`)})`;

export const poolList: MergedSpec = {
  kind: 'servicespools',
  table: pools,
  found: [],
  inFarm: [],
  select: {
    id: pools.id,
    uuid: pools.uuid,
    name: pools.name,
    short_name: pools.short_name,
    comments: pools.comments,
    state: pools.state,
    visible: pools.visible,
    maintenance: pools.maintenance,
    maintenance_template_id: pools.maintenance_template_id,
    protocols: pools.protocols,
    initial_srvs: pools.initial_srvs,
    cache_l1_srvs: pools.cache_l1_srvs,
    cache_l2_srvs: pools.cache_l2_srvs,
    max_srvs: pools.max_srvs,
    workplaces_count: pools.workplaces_count,
    in_use_count: pools.in_use_count,
    in_preparation_count: pools.in_preparation_count,
    usage_percent: pools.usage_percent,
    restrained: pools.restrained,
    tags: pools.tags,
  },
  search: [pools.name_key, sql`lower(${pools.short_name})`],
  filters: {
    state: equal(pools.state),
    maintenance: equal(pools.maintenance),
    tag: hasTag(pools.tags),
    offered_directly: (wanted: boolean) => (wanted ? isOfferedDirectly : sql`not (${isOfferedDirectly})`),
  },
  sorts: { name: pools.name_key, usage_percent: pools.usage_percent, in_use_count: pools.in_use_count },
};

export const workplaceList: MergedSpec = {
  kind: 'workplaces',
  table: workplaces,
  found: ['owner'],
  inFarm: ['servicepool_uuid'],
  select: {
    id: workplaces.id,
    uuid: workplaces.uuid,
    name: workplaces.name,
    servicepool_uuid: workplaces.servicepool_uuid,
    servicepool_name: poolName(workplaces),
    unique_id: workplaces.unique_id,
    hostname: workplaces.hostname,
    ip: workplaces.ip,
    state: workplaces.state,
    machine_state: workplaces.machine_state,
    owner: sql`case when ${workplaces.owner_name} is not null
      then json_build_object('domain', ${workplaces.owner_domain}, 'name', ${workplaces.owner_name}) end`,
    in_use: workplaces.in_use,
    in_use_since: momentText(workplaces.in_use_since),
    client_ip: workplaces.client_ip,
    client_host: workplaces.client_host,
    maintenance: workplaces.maintenance,
    tags: workplaces.tags,
    agent_version: workplaces.agent_version,
    agent_seen_at: momentText(workplaces.agent_seen_at),
    revision: workplaces.node_revision,
    created_at: momentText(workplaces.made_at),
  },
  search: [workplaces.name_key],
  filters: {
    servicepool_uuid: equal(workplaces.servicepool_uuid),
    state: equal(workplaces.state),
    machine_state: equal(workplaces.machine_state),
    owner: isPerson(workplaces.owner_key),
    in_use: equal(workplaces.in_use),
    maintenance: equal(workplaces.maintenance),
    tag: hasTag(workplaces.tags),
  },
  sorts: { name: workplaces.name_key },
  ranges: {
    in_use_since: workplaces.in_use_since,
    agent_seen_at: workplaces.agent_seen_at,
    created_at: workplaces.made_at,
  },
};

/** Gateway tickets of the session of the enclosing select. Dispatchers have no data about our gateways. */
const ofSession = sql`${gatewayTickets.farm_id} = ${workplaceSessions.farm_id}
  and ${gatewayTickets.session_uuid} = ${workplaceSessions.uuid}`;

const lastGateway = sql`select ${gatewayTickets.gateway_id} from ${gatewayTickets}
  where ${ofSession} and ${gatewayTickets.used_at} is not null order by ${gatewayTickets.used_at} desc limit 1`;

const sumOf = (bytes: PgColumn) => sql`least(${Number.MAX_SAFE_INTEGER}::bigint, coalesce(sum(${bytes}), 0))`;

export const sessionList: MergedSpec = {
  kind: 'spsessions',
  table: workplaceSessions,
  found: ['user'],
  inFarm: ['workplace_uuid'],
  select: {
    id: workplaceSessions.id,
    session_uuid: workplaceSessions.uuid,
    servicepool_uuid: workplaceSessions.servicepool_uuid,
    servicepool_name: poolName(workplaceSessions),
    workplace_uuid: workplaceSessions.workplace_uuid,
    workplace_name: workplaceSessions.workplace_name,
    workplace_ip: workplaceSessions.workplace_ip,
    user: workplaceSessions.user_name,
    domain: workplaceSessions.user_domain,
    protocol: workplaceSessions.protocol,
    client_ip: workplaceSessions.client_ip,
    client_host: workplaceSessions.client_host,
    gateway_id: derived(sql`select coalesce((${lastGateway}), ${workplaceSessions.gateway_id})`),
    tunnels: derived(sql`select json_build_object(
        'connections', count(*) filter (where ${gatewayTunnels.stopped_at} is null),
        'sent', ${sumOf(gatewayTunnels.sent)}, 'received', ${sumOf(gatewayTunnels.received)})
      from ${gatewayTickets} join ${gatewayTunnels} on ${gatewayTunnels.ticket_id} = ${gatewayTickets.id}
      where ${ofSession}`),
    state: workplaceSessions.state,
    started_at: momentText(workplaceSessions.started_at),
    last_seen_at: momentText(workplaceSessions.last_seen_at),
  },
  search: [workplaceSessions.user_key],
  filters: {
    servicepool_uuid: equal(workplaceSessions.servicepool_uuid),
    workplace_uuid: equal(workplaceSessions.workplace_uuid),
    user: isPerson(workplaceSessions.user_key),
    state: equal(workplaceSessions.state),
    protocol: equal(workplaceSessions.protocol),
  },
  sorts: { started_at: workplaceSessions.started_at },
  ranges: { started_at: workplaceSessions.started_at, last_seen_at: workplaceSessions.last_seen_at },
};

export const farmTagList: MergedSpec = {
  kind: 'tags',
  table: farmTags,
  found: [],
  inFarm: [],
  select: { id: farmTags.id, name: farmTags.name, dispatcher_id: farmTags.dispatcher_id },
  search: [farmTags.name_key],
  filters: {},
  sorts: { name: farmTags.name_key },
};
