import type { Call, DispatcherAdapter, DispatcherKind, KindParts } from '../port.ts';
import { policies } from './actions/policies.ts';
import { PoolActions } from './actions/pools.ts';
import { notSupported, WorkplaceActions } from './actions/workplaces.ts';
import { Connections } from './connections.ts';
import { Broker } from './exchange.ts';
import { Keys } from './keys.ts';
import { Lists } from './lists/lists.ts';
import { MetaPools } from './lists/meta-pools.ts';
import { Deliveries } from './lists/transports.ts';
import { People } from './people.ts';
import { accountRights } from './rights.ts';
import { Rooms } from './rooms.ts';
import { Services } from './services.ts';

/**
 * OpenUDS: the portal logs in with an administrator account, and obtains the keys of users by tickets. Lists have no
 * pages, and many orders do not exist; `capabilitiesOf` has what does.
 */
export const openuds: DispatcherKind = { create };

function create({ transport, logins }: KindParts): DispatcherAdapter {
  const broker = new Broker(transport);
  const people = new People(broker);
  const keys = new Keys({ broker, people, logins });
  const deliveries = new Deliveries(broker);
  const services = new Services({ broker, deliveries, metaPools: new MetaPools(broker) });
  const rooms = new Rooms({ broker, services });
  const connections = new Connections({ broker, people, keys, services, deliveries, rooms });
  const lists = new Lists({ broker, deliveries, people });
  const pools = new PoolActions(broker, lists);
  const workplaces = new WorkplaceActions(broker, lists, people);
  const unsupported = async (call: Call) => Promise.reject(notSupported(call));
  return {
    authorize: (request) => keys.authorize(request),
    logOut: (call) => keys.logOut(call),
    domains: (call) => people.domains(call),
    health: async (request) => {
      const { version } = await broker.readVersion(request);
      return { status: 'pass', version, description: '' };
    },
    services: (call) => services.services(call),
    connectionInfo: (call, pool, query) => connections.connectionInfo(call, pool, query),
    preconnectionInfo: (call, pool, query) => connections.preconnectionInfo(call, pool, query),
    reconnect: (call, desktop) => connections.reconnect(call, desktop),
    list: (call, kind, query) => lists.list(call, kind, query),
    accountRights: (call) => accountRights(broker, call),
    policies: (call, pool) => policies(broker, deliveries, call, pool),
    updatePool: (call, pool, order, seen) => pools.updatePool(call, pool, order, seen),
    maintainPool: (call, pool, order) => pools.maintainPool(call, pool, order),
    changeWorkplace: (call, uuid, verb, order) => workplaces.changeWorkplace(call, uuid, verb, order),
    deleteWorkplace: (call, uuid) => workplaces.deleteWorkplace(call, uuid),
    sendMessage: unsupported,
    endSession: unsupported,
    assistSession: unsupported,
  };
}
