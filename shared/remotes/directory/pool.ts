import { createHash } from 'node:crypto';
import { createSemaphore, type Semaphore } from '../../kernel/concurrency/semaphore.ts';
import { createSlotPool, type SlotPool } from './places.ts';
import type { Directory } from './port.ts';
import type { Connection } from './session.ts';

/**
 * Connections to one server, used by one caller at a time: one for searches, and one for passwords, opened on demand.
 */
export type Lane = {
  host: string;
  service: Connection;
  judge: Connection | undefined;
  /** The lane was used before, so the server may have closed it meanwhile. */
  isReused: boolean;
};

/** The connections to one directory with identical settings. */
export type Pool = {
  places: SlotPool;
  /** Binds of the search account run in sequence, so that a wrong password is not sent several times at once. */
  binding: Semaphore;
  /** @returns an idle lane to a server that has not failed recently */
  take(isShunned: (host: string) => boolean): Lane | undefined;
  /** Returns a lane to the pool, or closes it. */
  put(lane: Lane): void;
  /** Closes idle lanes, of one server or all. */
  drop(host?: string): void;
  isEmpty(): boolean;
};

export type PoolOptions = {
  /** Maximum number of concurrent uses of a directory, and of waiting callers. */
  width: number;
  maxWaiting: number;
  /** Idle time of a lane in milliseconds; 0 closes lanes after each use. */
  restMs: number;
};

export function closeLane({ service, judge }: Lane): void {
  service.close();
  judge?.close();
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
  { width, maxWaiting, restMs }: PoolOptions,
  domain: string | undefined,
  onEmpty: () => void,
): Pool {
  const resting = createIdleLanes(restMs, onEmpty);
  return {
    places: createSlotPool(width, maxWaiting),
    // On runtimes without shared connections, one request must not wait for another.
    binding: createSemaphore(restMs === 0 ? Number.POSITIVE_INFINITY : 1),
    take: (isShunned) => {
      for (const lane of resting.newestFirst()) {
        resting.remove(lane);
        if (lane.service.isOpen() && !isShunned(lane.host)) {
          setKeepsAlive(lane, true);
          return { ...lane, isReused: true };
        }
        closeLane(lane);
      }
      return undefined;
    },
    put: (lane) => {
      if (domain === undefined || restMs === 0 || !lane.service.isOpen()) return closeLane(lane);
      setKeepsAlive(lane, false);
      resting.add(lane);
    },
    drop: (host) => {
      for (const lane of resting.newestFirst())
        if (host === undefined || lane.host === host) {
          resting.remove(lane);
          closeLane(lane);
        }
    },
    isEmpty: () => resting.newestFirst().length === 0,
  };
}

/** Idle lanes; each is closed after `restMs` milliseconds. */
function createIdleLanes(restMs: number, onEmpty: () => void) {
  const timers = new Map<Lane, NodeJS.Timeout>();
  const remove = (lane: Lane): void => {
    clearTimeout(timers.get(lane));
    timers.delete(lane);
  };
  const end = (lane: Lane): void => {
    remove(lane);
    closeLane(lane);
    onEmpty();
  };
  return {
    remove,
    add: (lane: Lane): void => void timers.set(lane, setTimeout(end, restMs, lane).unref()),
    newestFirst: (): Lane[] => [...timers.keys()].reverse(),
  };
}

function setKeepsAlive({ service, judge }: Lane, isHeld: boolean): void {
  service.hold(isHeld);
  judge?.hold(isHeld);
}

const keyOf = ({ domain, hosts, startTls, ca, account, pageSize }: Directory): string =>
  createHash('sha256')
    .update(JSON.stringify([domain, hosts, startTls, ca, account?.dn, account?.password, pageSize]))
    .digest('base64');
