import { eq } from 'drizzle-orm';
import { fullPools } from '../../../db/schema/routing/full-pools.ts';
import { issuedConnections } from '../../../db/schema/routing/issued-connections.ts';
import { dispatchers } from '../../../db/schema/sites/dispatchers.ts';
import { endSession } from '../../simulator/data/sessions.ts';
import { noFaults } from '../../simulator/faults.ts';
import { addDesktop } from '../../simulator/openuds/seed.ts';
import type { Broker } from '../../simulator/openuds/start.ts';
import type { World } from '../factories.ts';
import type { FarmWithNode } from './rules.ts';

/** How a member of a rule gives no connection. The words are those of the causes. */
export type Fault =
  | 'no_free_workplace'
  | 'preparation_failed'
  | 'maintenance'
  | 'closed'
  | 'no_answer'
  | 'not_entitled'
  | 'invalid_request'
  | 'preparing'
  | 'unanswered';

const connectionPath = '/api/client/v7.0/connectionInfo';

/** Faults of a simulated node with the pool `Office`. */
export function breakNode({ node }: FarmWithNode, fault: Fault): void {
  const { state, knobs } = node.simulator;
  const pool = (given: Parameters<typeof state.changePool>[1]) => () => state.changePool('Office', given);
  const fail = (given: Partial<typeof knobs>) => () => Object.assign(knobs, given);
  const faults: Record<Fault, () => unknown> = {
    no_free_workplace: pool({ state: 'busy' }),
    preparation_failed: pool({ state: 'failed' }),
    maintenance: pool({ maintenance: true }),
    closed: pool({ state: 'unavailable' }),
    no_answer: fail({ failing: 503 }),
    not_entitled: pool({ entitled: { users: [], groups: [] } }),
    invalid_request: fail({ path: connectionPath, failing: 422 }),
    preparing: pool({ state: 'preparing', percent: 40 }),
    unanswered: fail({ path: connectionPath, reset: true }),
  };
  faults[fault]();
}

export function mendNode({ node }: FarmWithNode): void {
  Object.assign(node.simulator.knobs, noFaults());
  const well = { state: 'ready', maintenance: false, entitled: 'all' } as const;
  const { state } = node.simulator;
  state.changePool('Office', well);
  for (const session of state.sessions.all()) endSession(state, session);
}

/** Faults of a broker whose first pool has a direct transport, for its first user. */
export function breakBroker({ state, knobs }: Broker, fault: Fault): void {
  const [pool, user, provider] = [state.pools[0], state.users[0], state.providers[0]];
  if (!pool || !user || !provider) throw new Error('a broker has a pool, a user and a provider');
  const faults: Record<Fault, () => unknown> = {
    no_free_workplace: () => {
      pool.maxDesktops = 1;
      addDesktop(state, pool);
    },
    preparation_failed: () => {
      addDesktop(state, pool, { owner: user.id, state: 'E' });
      knobs.text = { path: /connection\/./, text: '{"result":"","error":"failed","retryable":"0"}' };
    },
    maintenance: () => Object.assign(provider, { maintenance: true }),
    closed: () => Object.assign(pool.members, { fallbackAccess: 'DENY' }),
    no_answer: () => Object.assign(knobs, { unanswered: /rest\/connection$/ }),
    not_entitled: () => pool.groups.clear(),
    invalid_request: () => {
      knobs.text = { path: /connection\/./, text: '{"result":"","error":"no"}' };
    },
    preparing: () => Object.assign(pool, { missing: 1 }),
    unanswered: () => Object.assign(knobs, { unanswered: /connection\/./ }),
  };
  faults[fault]();
}

export function mendBroker({ state, knobs }: Broker): void {
  const [pool, provider, group] = [state.pools[0], state.providers[0], state.groups[0]];
  if (!pool || !provider || !group) throw new Error('a broker has a pool, a provider and a group');
  Object.assign(pool, { maxDesktops: 100, missing: 0, isRestrained: false });
  Object.assign(pool.members, { fallbackAccess: 'ALLOW' });
  Object.assign(provider, { maintenance: false });
  pool.groups.add(group.id);
  state.desktops.length = 0;
  delete knobs.text;
  delete knobs.unanswered;
}

/** Removes what the portal remembers of failed requests, and closes circuits. */
export async function forgetFailures({ portal }: World): Promise<void> {
  await portal.settled();
  await portal.db.update(fullPools).set({ full_at: new Date(0) });
  await portal.db.delete(issuedConnections);
  const closed = { circuit: 'closed', circuit_failures: 0, circuit_probe_until: null } as const;
  await portal.db.update(dispatchers).set(closed).where(eq(dispatchers.enabled, true));
}
