import { AppError } from '../../kernel/errors.ts';
import type { Network } from '../http/address-policy.ts';
import { withinDeadline } from '../http/deadline.ts';
import { TransportError } from '../http/transport.ts';
import type { FailedServers } from './failed-servers.ts';
import { isOfConnection, isOfServer, isRejection, resultCode } from './failures.ts';
import type { Pool, ServerConnections } from './pool.ts';
import type { Directory, DirectorySession } from './port.ts';
import { type Connection, connectTo } from './session.ts';
import { type DirectorySockets, destinationOf } from './sockets.ts';

export type DirectoryNetwork = {
  sockets: DirectorySockets;
  networks: readonly Network[];
  failedServers: FailedServers;
};
/** `endsAt` is a time of the monotonic clock, at which the signal aborts. */
export type Deadline = { endsAt: number; signal: AbortSignal };
type DirectoryUse = { network: DirectoryNetwork; pool: Pool; directory: Directory; deadline: Deadline };

/**
 * Connects to the first available server. Each server gets an equal share of the remaining time, so that a
 * hanging server leaves time for the next one.
 * @param failed servers to skip
 */
export async function openConnections(
  use: DirectoryUse,
  failed: ReadonlySet<string>,
): Promise<ServerConnections> {
  const { network, directory, deadline } = use;
  const hosts = network.failedServers.inOrder(directory.hosts.filter((host) => !failed.has(host)));
  let fault: unknown = new TransportError('unreachable');
  for (const [at, host] of hosts.entries()) {
    if (deadline.signal.aborted) throw new TransportError('timeout');
    const shareMs = (deadline.endsAt - performance.now()) / (hosts.length - at);
    try {
      const searchConnection = await withinDeadline(shareMs, deadline.signal, (signal) =>
        openService(use, host, signal),
      );
      network.failedServers.remove(host);
      return { host, searchConnection, passwordConnection: undefined, isReused: false };
    } catch (error) {
      if (!isOfServer(error)) throw error;
      network.failedServers.add(host);
      fault = error;
    }
  }
  throw fault;
}

/** Connects and binds the search account. This detects servers that accept connections but do not respond. */
async function openService(use: DirectoryUse, host: string, signal: AbortSignal): Promise<Connection> {
  const connection = await connect(use, host, signal);
  const end = () => connection.close();
  signal.addEventListener('abort', end, { once: true });
  try {
    await use.pool.binding(() => bindAccount(use.directory, connection));
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  } finally {
    signal.removeEventListener('abort', end);
  }
}

async function bindAccount({ account, gate }: Directory, connection: Connection): Promise<void> {
  if (!connection.isOpen()) throw new TransportError('unreachable');
  await gate?.before();
  try {
    await connection.bind(account);
  } catch (error) {
    if (isRejection(error)) await gate?.after(false);
    throw error;
  }
  await gate?.after(true);
}

/**
 * @returns the session on these connections, and whether a password was sent that the server may have checked: another server
 * must not count a wrong password a second time
 */
export function sessionOn(
  use: DirectoryUse,
  connections: ServerConnections,
): { session: DirectorySession; hasSent: () => boolean } {
  let hasSent = false;
  const session: DirectorySession = {
    search: async (search) => {
      try {
        return await connections.searchConnection.search(search, use.directory.pageSize);
      } catch (error) {
        throw use.directory.account ? error : (needsAccount(error) ?? error);
      }
    },
    checkPassword: async (dn, password) => {
      // RFC 4513 section 5.1.2: a bind without a password succeeds as anonymous and proves nothing.
      if (dn === '' || password === '') return { verdict: 'refused', reason: undefined };
      if (!connections.passwordConnection?.isOpen())
        connections.passwordConnection = await connect(use, connections.host, use.deadline.signal);
      hasSent = true;
      try {
        return await connections.passwordConnection.checkPassword(dn, password);
      } catch (error) {
        // A result code means that the server has not checked the password; after a lost connection this is unknown.
        hasSent = isOfConnection(error);
        throw error;
      }
    },
  };
  return { session, hasSent: () => hasSent };
}

/** Active Directory returns an operations error for an anonymous search. */
function needsAccount(error: unknown): AppError | undefined {
  if (resultCode(error) !== 1) return undefined;
  const detail = 'The directory does not allow anonymous searches; set a search account';
  return new AppError('upstream_refused', detail, { reason: 'account_required' }, { cause: error });
}

const connect = (
  { network, directory }: DirectoryUse,
  host: string,
  signal: AbortSignal,
): Promise<Connection> =>
  connectTo(network.sockets, destinationOf(host, directory, network.networks), signal);
