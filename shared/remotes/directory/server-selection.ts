import { AppError } from '../../kernel/errors.ts';
import type { Network } from '../http/address-policy.ts';
import { withinDeadline } from '../http/deadline.ts';
import { TransportError } from '../http/transport.ts';
import type { FailedServers } from './failed-servers.ts';
import { isOfConnection, isOfServer, isRejection, resultCode } from './failures.ts';
import type { Pool, ServerConnections } from './pool.ts';
import type { Directory, DirectorySession } from './port.ts';
import { type Connection, connectTo, type Timed } from './session.ts';
import { type DirectorySockets, destinationOf } from './sockets.ts';

export type DirectoryNetwork = {
  sockets: DirectorySockets;
  networks: readonly Network[];
  failedServers: FailedServers;
};
/** `endsAt` is a time of the monotonic clock, at which the signal aborts. */
export type Deadline = { endsAt: number; signal: AbortSignal };
type DirectoryUse = { network: DirectoryNetwork; pool: Pool; directory: Directory; deadline: Deadline };

/** The servers that have failed while a request was served. */
type FailedHosts = Set<string>;

export const untried = ({ directory }: DirectoryUse, failed: Readonly<FailedHosts>): string[] =>
  directory.hosts.filter((host) => !failed.has(host));

/**
 * Runs one step with a server in its equal share of the remaining time, so that a hanging server leaves time for the next ones.
 * @param failed servers that need no time any more
 * @throws TransportError `timeout`
 */
const withinShare = <T>(
  use: DirectoryUse,
  failed: Readonly<FailedHosts>,
  step: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const { endsAt, signal } = use.deadline;
  return withinDeadline((endsAt - performance.now()) / untried(use, failed).length, signal, step);
};

/**
 * Connects to the first available server.
 * @param failed servers to skip; those that fail are added
 */
export async function openConnections(use: DirectoryUse, failed: FailedHosts): Promise<ServerConnections> {
  const { network, deadline } = use;
  let fault: unknown = new TransportError('unreachable');
  for (const host of network.failedServers.inOrder(untried(use, failed))) {
    if (deadline.signal.aborted) throw new TransportError('timeout');
    try {
      const service = await withinShare(use, failed, (signal) => openService(use, host, signal));
      network.failedServers.remove(host);
      return { host, ...service, passwordConnection: undefined, isReused: false };
    } catch (error) {
      if (!isOfServer(error)) throw error;
      network.failedServers.add(host);
      failed.add(host);
      fault = error;
    }
  }
  throw fault;
}

type Service = Pick<ServerConnections, 'searchConnection' | 'authority'>;

/**
 * Connects, binds the search account and reads the identity of the directory. This detects servers that accept connections but
 * do not respond.
 */
async function openService(use: DirectoryUse, host: string, signal: AbortSignal): Promise<Service> {
  const { identity, pageSize } = use.directory;
  const connection = await connect(use, host, signal);
  const end = () => connection.close();
  signal.addEventListener('abort', end, { once: true });
  try {
    await use.pool.binding(() => bindAccount(use.directory, connection));
    const authority = await identity?.read((search) =>
      connection.search(search, pageSize, (step) => step(signal)),
    );
    return { searchConnection: connection, authority };
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
 * @param failed servers that have failed before this one
 * @returns the session on these connections, and whether a password was sent that the server may have checked: another server
 * must not count a wrong password a second time. No other one follows then, so the server has all the time that is left
 */
export function sessionOn(
  use: DirectoryUse,
  connections: ServerConnections,
  failed: Readonly<FailedHosts>,
): { session: DirectorySession; hasSent: () => boolean } {
  let hasSent = false;
  const inTime: Timed = (step) => (hasSent ? step(use.deadline.signal) : withinShare(use, failed, step));
  const session: DirectorySession = {
    authority: connections.authority,
    search: async (search) => {
      try {
        return await connections.searchConnection.search(search, use.directory.pageSize, inTime);
      } catch (error) {
        throw use.directory.account ? error : (needsAccount(error) ?? error);
      }
    },
    checkPassword: async (dn, password) => {
      // RFC 4513 section 5.1.2: a bind without a password succeeds as anonymous and proves nothing.
      if (dn === '' || password === '') return { verdict: 'refused', reason: undefined };
      if (!connections.passwordConnection?.isOpen())
        connections.passwordConnection = await inTime((signal) => connect(use, connections.host, signal));
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
