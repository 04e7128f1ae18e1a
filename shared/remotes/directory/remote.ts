import { AppError } from '../../kernel/errors.ts';
import { type Network, parseNetworks, type UrlPolicy } from '../http/address-policy.ts';
import { withinDeadline } from '../http/deadline.ts';
import { TransportError } from '../http/transport.ts';
import { createFailedServers } from './failed-servers.ts';
import { fromDirectory, isOfConnection, isOfServer } from './failures.ts';
import {
  closeConnections,
  createPools,
  type Pool,
  type PoolOptions,
  type ServerConnections,
} from './pool.ts';
import type { Directory, DirectoryRemote, DirectorySession } from './port.ts';
import {
  type Deadline,
  type DirectoryNetwork,
  openConnections,
  sessionOn,
  untried,
} from './server-selection.ts';
import type { DirectorySockets } from './sockets.ts';

/** Time limit of a login in milliseconds, including the wait for a connection. */
const loginMs = 15_000;

/** Directories over LDAP (RFC 4511). Servers that failed recently are tried last. */
export function createDirectoryRemote(
  sockets: DirectorySockets,
  policy: UrlPolicy,
  { width = 8, maxWaiting = 1_024, idleMs = 0 }: Partial<PoolOptions> = {},
): DirectoryRemote {
  const pools = createPools({ width, maxWaiting, idleMs });
  const networks: readonly Network[] = parseNetworks(policy.allowedNetworks);
  const network: DirectoryNetwork = { sockets, networks, failedServers: createFailedServers(pools.dropHost) };
  return {
    within: (directory, work, requestMs = loginMs) =>
      pools.within(directory, async (pool) => {
        const endsAt = performance.now() + requestMs;
        await pool.slots.take(requestMs);
        try {
          return await inTime(directory, endsAt, (deadline) =>
            serve({ network, pool, directory, deadline }, work),
          );
        } finally {
          pool.slots.give();
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
    throw isTimeout(error) && leftMs < timeoutMs ? new AppError('overloaded') : fromDirectory(error);
  }
}

const isTimeout = (error: unknown): boolean => error instanceof TransportError && error.reason === 'timeout';

type DirectoryUse = { network: DirectoryNetwork; pool: Pool; directory: Directory; deadline: Deadline };

/** Each server is tried once, and once more after a connection that was closed meanwhile. */
async function serve<T>(use: DirectoryUse, work: (session: DirectorySession) => Promise<T>): Promise<T> {
  const failed = new Set<string>();
  for (let attempt = 1; ; attempt++) {
    const connections = use.pool.take(use.network.failedServers.has) ?? (await openConnections(use, failed));
    const { session, hasSent } = sessionOn(use, connections, failed);
    try {
      return await withConnections(use, connections, () => work(session));
    } catch (error) {
      const mayGoOn = !use.deadline.signal.aborted && isOfServer(error);
      if (!mayGoOn) throw error;
      noteFailure(use, connections, failed, error);
      const isAnyLeft = untried(use, failed).length > 0 && attempt <= use.directory.hosts.length;
      if (hasSent() || !isAnyLeft) throw error;
    }
  }
}

/** A pooled connection that the server has closed is not a failure of the server. One without an answer is. */
function noteFailure(
  { network, pool }: DirectoryUse,
  { host, isReused }: ServerConnections,
  failed: Set<string>,
  error: unknown,
): void {
  if (isReused && isOfConnection(error) && !isTimeout(error)) pool.drop(host);
  else {
    failed.add(host);
    network.failedServers.add(host);
  }
}

/** Closes the connections at the time limit, or returns them to the pool if they are reusable. */
async function withConnections<T>(
  { network, pool, deadline }: DirectoryUse,
  connections: ServerConnections,
  work: () => Promise<T>,
): Promise<T> {
  const late = () => {
    network.failedServers.add(connections.host);
    closeConnections(connections);
  };
  deadline.signal.addEventListener('abort', late, { once: true });
  try {
    const result = await work();
    pool.put(connections);
    return result;
  } catch (error) {
    if (isOfServer(error) || deadline.signal.aborted) closeConnections(connections);
    else pool.put(connections);
    throw error;
  } finally {
    deadline.signal.removeEventListener('abort', late);
  }
}
