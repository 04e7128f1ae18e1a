import type { Pool, Workplace, WorkplaceSession } from './rows.ts';

/** True if the workplace can be assigned. */
export const isFree = (workplace: Workplace): boolean =>
  !(workplace.owner || workplace.session || workplace.maintenance) && workplace.condition === 'ready';

export function poolState(pool: Pool): string {
  if (pool.maintenance) return 'maintenance';
  if (pool.state !== 'ready') return pool.state;
  return pool.members.some(isFree) ? 'ready' : 'busy';
}

export function poolView(pool: Pool) {
  const inUse = pool.members.filter(({ session }) => session).length;
  const inPreparation = pool.members.filter((member) => workplaceState(member) === 'preparing').length;
  return {
    uuid: pool.uuid,
    name: pool.name,
    short_name: pool.short_name,
    comments: pool.comments,
    state: poolState(pool),
    visible: pool.visible,
    maintenance: pool.maintenance,
    protocols: pool.protocols,
    initial_srvs: pool.initial_srvs,
    cache_l1_srvs: pool.cache_l1_srvs,
    cache_l2_srvs: pool.cache_l2_srvs,
    max_srvs: pool.max_srvs,
    workplaces_count: pool.members.length,
    in_use_count: inUse,
    in_preparation_count: inPreparation,
    usage_percent: pool.max_srvs === 0 ? 0 : Math.round((100 * inUse) / pool.max_srvs),
    restrained: false,
    tags: pool.tags,
  };
}

export function workplaceView(workplace: Workplace) {
  const { session } = workplace;
  return {
    uuid: workplace.uuid,
    name: workplace.name,
    servicepool_uuid: workplace.pool.uuid,
    servicepool_name: workplace.pool.name,
    unique_id: workplace.unique_id,
    hostname: workplace.hostname,
    ip: workplace.ip,
    state: workplaceState(workplace),
    machine_state: workplace.machine_state,
    owner: workplace.owner,
    in_use: session !== null,
    in_use_since: session?.started_at ?? null,
    client_ip: session?.client_ip ?? null,
    client_host: session?.client_host ?? null,
    maintenance: workplace.maintenance,
    tags: workplace.tags,
    agent_version: '7.0.0',
    agent_seen_at: session?.last_seen_at ?? null,
    revision: workplace.revision,
    created_at: workplace.created_at,
  };
}

export function sessionView(session: WorkplaceSession) {
  const { workplace, person } = session;
  return {
    session_uuid: session.session_uuid,
    servicepool_uuid: workplace.pool.uuid,
    servicepool_name: workplace.pool.name,
    workplace_uuid: workplace.uuid,
    workplace_name: workplace.name,
    workplace_ip: workplace.ip,
    user: person.name,
    domain: person.domain,
    protocol: session.protocol,
    client_ip: session.client_ip,
    client_host: session.client_host,
    state: session.state,
    started_at: session.started_at,
    last_seen_at: session.last_seen_at,
  };
}

function workplaceState(workplace: Workplace): string {
  if (workplace.maintenance) return 'maintenance';
  if (workplace.session) return 'in_use';
  return workplace.pool.state === 'preparing' ? 'preparing' : workplace.condition;
}
