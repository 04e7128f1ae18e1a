import { createHash } from 'node:crypto';
import { createSemaphore, type Semaphore } from '../../kernel/concurrency/semaphore.ts';
import type { Directory } from './port.ts';
import type { Connection } from './session.ts';
import { createSlotPool, type SlotPool } from './slot-pool.ts';

/**
 * Connections to one server, used by one caller at a time: one for searches, and one for passwords, opened on demand.
 */
export type ServerConnections = {
  host: string;
  searchConnection: Connection;
  passwordConnection: Connection | undefined;
  /** The identity of the directory, read when the connection was opened. */
  authority: string | undefined;
  /** The connections were used before, so the server may have closed it meanwhile. */
  isReused: boolean;
};

/** The connections to one directory with identical settings. */
export type Pool = {
  slots: SlotPool;
  /** Binds of the search account run in sequence, so that a wrong password is not sent several times at once. */
  binding: Semaphore;
  /** @returns idle connections to a server that has not failed recently */
  take(hasFailed: (host: string) => boolean): ServerConnections | undefined;
  /** Returns connections to the pool, or closes them. */
  put(connections: ServerConnections): void;
  /** Closes idle connections, of one server or all. */
  drop(host?: string): void;
  isEmpty(): boolean;
};

export type PoolOptions = {
  /** Maximum number of concurrent uses of a directory, and of waiting callers. */
  width: number;
  maxWaiting: number;
  /** Idle time of connections in milliseconds; 0 closes them after each use. */
  idleMs: number;
};

export function closeConnections({ searchConnection, passwordConnection }: ServerConnections): void {
  searchConnection.close();
  passwordConnection?.close();
}

/** Pools by domain and settings. A change of settings or secret creates a new pool for the domain. */
export function createPools(options: PoolOptions) {
  const pools = new Map<string, { pool: Pool; users: number; domain: string | undefined }>();
  const within = async <T>(directory: Directory, work: (pool: Pool) => Promise<T>): Promise<T> => {
    const key = keyOf(directory);
    const present = pools.get(key) ?? add(key, directory.domain);
    present.users += 1;
    try {
      return await work(present.pool);
    } finally {
      present.users -= 1;
      forgetUnused(key);
    }
  };
  const add = (key: string, domain: string | undefined) => {
    if (domain !== undefined) retire(domain);
    const made = { pool: createPool(options, domain, () => forgetUnused(key)), users: 0, domain };
    pools.set(key, made);
    return made;
  };
  const forgetUnused = (key: string): void => {
    const present = pools.get(key);
    if (present?.users === 0 && present.pool.isEmpty()) pools.delete(key);
  };
  const retire = (domain: string): void => {
    for (const [key, other] of pools) {
      if (other.domain === domain) other.pool.drop();
      forgetUnused(key);
    }
  };
  const dropHost = (host: string): void => {
    for (const { pool } of pools.values()) pool.drop(host);
  };
  return { within, dropHost };
}

function createPool(
  { width, maxWaiting, idleMs }: PoolOptions,
  domain: string | undefined,
  onEmpty: () => void,
): Pool {
  const idle = createIdleConnections(idleMs, onEmpty);
  return {
    slots: createSlotPool(width, maxWaiting),
    // On runtimes without shared connections, one request must not wait for another.
    binding: createSemaphore(idleMs === 0 ? Number.POSITIVE_INFINITY : 1),
    take: (hasFailed) => {
      for (const connections of idle.newestFirst()) {
        idle.remove(connections);
        if (connections.searchConnection.isOpen() && !hasFailed(connections.host)) {
          setKeepsAlive(connections, true);
          return { ...connections, isReused: true };
        }
        closeConnections(connections);
      }
      return undefined;
    },
    put: (connections) => {
      if (domain === undefined || idleMs === 0 || !connections.searchConnection.isOpen())
        return closeConnections(connections);
      setKeepsAlive(connections, false);
      idle.add(connections);
    },
    drop: (host) => {
      for (const connections of idle.newestFirst())
        if (host === undefined || connections.host === host) {
          idle.remove(connections);
          closeConnections(connections);
        }
    },
    isEmpty: () => idle.newestFirst().length === 0,
  };
}

/** Idle connections; they are closed after `idleMs` milliseconds. */
function createIdleConnections(restMs: number, onEmpty: () => void) {
  const timers = new Map<ServerConnections, NodeJS.Timeout>();
  const remove = (connections: ServerConnections): void => {
    clearTimeout(timers.get(connections));
    timers.delete(connections);
  };
  const end = (connections: ServerConnections): void => {
    remove(connections);
    closeConnections(connections);
    onEmpty();
  };
  return {
    remove,
    add: (connections: ServerConnections): void =>
      void timers.set(connections, setTimeout(end, restMs, connections).unref()),
    newestFirst: (): ServerConnections[] => [...timers.keys()].reverse(),
  };
}

function setKeepsAlive({ searchConnection, passwordConnection }: ServerConnections, isHeld: boolean): void {
  searchConnection.hold(isHeld);
  passwordConnection?.hold(isHeld);
}

const keyOf = ({ domain, hosts, startTls, ca, account, pageSize, identity }: Directory): string =>
  createHash('sha256')
    .update(
      JSON.stringify([domain, hosts, startTls, ca, account?.dn, account?.password, pageSize, identity?.base]),
    )
    .digest('base64');
