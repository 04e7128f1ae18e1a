import { AppError } from '../../kernel/errors.ts';
import { type Network, parseNetworks, type UrlPolicy } from '../http/address-policy.ts';
import { withinDeadline } from '../http/deadline.ts';
import { TransportError } from '../http/transport.ts';
import { fromDirectory, isOfConnection, isOfServer } from './failures.ts';
import { type Deadline, type DirectoryNetwork, openLane, sessionOn } from './lanes.ts';
import { closeLane, createPools, type Lane, type Pool, type PoolOptions } from './pool.ts';
import type { Directory, DirectoryRemote, DirectorySession } from './port.ts';
import { createFailedServers } from './shunned.ts';
import type { DirectorySockets } from './sockets.ts';

/** Time limit of a login in milliseconds, including the wait for a connection. */
const loginMs = 15_000;
/** Maximum number of attempts: one on a connection that was closed meanwhile, and two servers. */
const maxAttempts = 3;

/** Directories over LDAP (RFC 4511). Servers that failed recently are tried last. */
export function createDirectoryRemote(
  sockets: DirectorySockets,
  policy: UrlPolicy,
  { width = 8, maxWaiting = 1_024, restMs = 0 }: Partial<PoolOptions> = {},
): DirectoryRemote {
  const pools = createPools({ width, maxWaiting, restMs });
  const networks: readonly Network[] = parseNetworks(policy.allowedNetworks);
  const reach: DirectoryNetwork = { sockets, networks, shunned: createFailedServers(pools.dropHost) };
  return {
    within: (directory, work, requestMs = loginMs) =>
      pools.within(directory, async (pool) => {
        const endsAt = performance.now() + requestMs;
        await pool.places.take(requestMs);
        try {
          return await inTime(directory, endsAt, (deadline) =>
            serve({ reach, pool, directory, deadline }, work),
          );
        } finally {
          pool.places.give();
        }
      }),
  };
}

/** @throws AppError `overloaded` if the time limit of the request is exceeded before that of the directory */
async function inTime<T>(
  { timeoutMs }: Directory,
  endsAt: number,
  work: (deadline: Deadline) => Promise<T>,
): Promise<T> {
  const leftMs = endsAt - performance.now();
  const limitMs = Math.min(timeoutMs, leftMs);
  try {
    const until = performance.now() + limitMs;
    return await withinDeadline(limitMs, undefined, (signal) => work({ endsAt: until, signal }));
  } catch (error) {
    const isLate = error instanceof TransportError && error.reason === 'timeout';
    throw isLate && leftMs < timeoutMs ? new AppError('overloaded') : fromDirectory(error);
  }
}

type DirectoryUse = { reach: DirectoryNetwork; pool: Pool; directory: Directory; deadline: Deadline };

async function serve<T>(use: DirectoryUse, work: (session: DirectorySession) => Promise<T>): Promise<T> {
  const failed = new Set<string>();
  for (let attempt = 1; ; attempt++) {
    const lane = use.pool.take(use.reach.shunned.has) ?? (await openLane(use, failed));
    const { session, hasSent } = sessionOn(use, lane);
    try {
      return await withLane(use, lane, () => work(session));
    } catch (error) {
      const mayGoOn = !use.deadline.signal.aborted && isOfServer(error);
      if (!mayGoOn) throw error;
      noteFailure(use, lane, failed, error);
      const isAnyLeft = use.directory.hosts.some((host) => !failed.has(host));
      if (hasSent() || !isAnyLeft || attempt === maxAttempts) throw error;
    }
  }
}

/** The failure of a pooled connection that the server has closed is not a failure of the server. */
function noteFailure(
  { reach, pool }: DirectoryUse,
  { host, isReused }: Lane,
  failed: Set<string>,
  error: unknown,
): void {
  if (isReused && isOfConnection(error)) pool.drop(host);
  else {
    failed.add(host);
    reach.shunned.add(host);
  }
}

/** Closes the connections of the lane at the time limit; returns the lane to the pool if it is reusable. */
async function withLane<T>(
  { reach, pool, deadline }: DirectoryUse,
  lane: Lane,
  work: () => Promise<T>,
): Promise<T> {
  const late = () => {
    reach.shunned.add(lane.host);
    closeLane(lane);
  };
  deadline.signal.addEventListener('abort', late, { once: true });
  try {
    const result = await work();
    pool.put(lane);
    return result;
  } catch (error) {
    if (isOfServer(error) || deadline.signal.aborted) closeLane(lane);
    else pool.put(lane);
    throw error;
  } finally {
    deadline.signal.removeEventListener('abort', late);
  }
}
