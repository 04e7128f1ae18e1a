import type { Domain, Entitled, Person, Pool, PoolState, Protocol, Workplace } from './rows.ts';
import { openSession } from './sessions.ts';
import { addTag, type DispatcherState, emptyState } from './state.ts';

export type PoolSeed = {
  uuid?: string;
  name: string;
  protocols: Protocol[];
  /** Number of workplaces. */
  workplaces: number;
  entitled: Entitled;
  state?: PoolState;
  percent?: number;
  comments?: string;
  visible?: boolean;
  method?: Pool['method'];
  endpoint?: Pool['endpoint'];
  tags?: string[];
};

/** `pool` is the name of one; the session takes its first free workplace. */
type SessionSeed = Person & { pool: string; protocol?: Protocol };

export type StateSeed = {
  name: string;
  domains: Domain[];
  pools: PoolSeed[];
  sessions?: SessionSeed[];
  tags?: string[];
  /** Whether connectionInfo opens the workplace session at once (default), or only returns the parameters. */
  sessionOnConnect?: boolean;
};

/** Deterministic: equal seeds give equal rows and identifiers, but for the times. */
export function createDispatcherState(seed: StateSeed): DispatcherState {
  const state = emptyState(seed.name, seed.domains, seed.sessionOnConnect ?? true);
  for (const pool of seed.pools) addPool(state, pool);
  for (const name of [...(seed.tags ?? []), ...seed.pools.flatMap(({ tags = [] }) => tags)])
    addTag(state, name);
  for (const session of seed.sessions ?? []) addSession(state, session);
  return state;
}

function addPool(state: DispatcherState, seed: PoolSeed): void {
  const { workplaces: count, ...given } = seed;
  const pool: Pool = {
    uuid: state.newUuid('pool'),
    short_name: seed.name.slice(0, 16),
    comments: '',
    state: 'ready',
    percent: 40,
    visible: true,
    maintenance: false,
    maintenance_message: null,
    method: 'new',
    endpoint: null,
    initial_srvs: count,
    cache_l1_srvs: 0,
    cache_l2_srvs: 0,
    max_srvs: count,
    tags: [],
    members: [],
    ...given,
  };
  state.pools.put(pool.uuid, pool);
  const created_at = new Date().toISOString();
  const prefix = pool.short_name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  for (let n = 1; n <= count; n += 1) addWorkplace(state, pool, `${prefix}-${fiveDigits(n)}`, created_at);
}

const fiveDigits = (n: number): string => String(n).padStart(5, '0');

/** A fleet has more than a million of them: this code runs that often. */
function addWorkplace(state: DispatcherState, pool: Pool, name: string, created_at: string): void {
  const uuid = state.newUuid('workplace');
  const number = Number.parseInt(uuid.slice(-6), 16);
  const workplace: Workplace = {
    uuid,
    pool,
    name,
    unique_id: `52:54:00:${uuid.slice(-6, -4)}:${uuid.slice(-4, -2)}:${uuid.slice(-2)}`,
    hostname: name,
    ip: `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`,
    condition: 'ready',
    machine_state: 'running',
    owner: null,
    session: null,
    maintenance: false,
    tags: [],
    revision: 1,
    created_at,
  };
  pool.members.push(workplace);
  state.workplaces.put(uuid, workplace);
}

function addSession(state: DispatcherState, { pool, protocol, ...person }: SessionSeed): void {
  const { members, protocols } = state.poolNamed(pool);
  const workplace = members.find(({ owner, session }) => !(owner || session));
  if (!workplace) throw new Error(`no workplace of pool ${pool} is free`);
  openSession(state, workplace, { person, protocol: protocol ?? protocols[0] ?? 'rdp' });
}
