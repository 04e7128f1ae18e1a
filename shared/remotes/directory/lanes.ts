import { AppError } from '../../kernel/errors.ts';
import type { Network } from '../http/address-policy.ts';
import { withinDeadline } from '../http/deadline.ts';
import { TransportError } from '../http/transport.ts';
import { isOfConnection, isOfServer, isRejection, resultCode } from './failures.ts';
import type { Lane, Pool } from './pool.ts';
import type { Directory, DirectorySession } from './port.ts';
import { type Connection, connectTo } from './session.ts';
import type { FailedServers } from './shunned.ts';
import { type DirectorySockets, destinationOf } from './sockets.ts';

export type DirectoryNetwork = {
  sockets: DirectorySockets;
  networks: readonly Network[];
  shunned: FailedServers;
};
/** `endsAt` is a time of the monotonic clock, at which the signal aborts. */
export type Deadline = { endsAt: number; signal: AbortSignal };
type LaneUse = { reach: DirectoryNetwork; pool: Pool; directory: Directory; deadline: Deadline };

/**
 * Opens a lane to the first available server. Each server gets an equal share of the remaining time, so that a
 * hanging server leaves time for the next one.
 * @param failed servers to skip
 */
export async function openLane(use: LaneUse, failed: ReadonlySet<string>): Promise<Lane> {
  const { reach, directory, deadline } = use;
  const hosts = reach.shunned.inOrder(directory.hosts.filter((host) => !failed.has(host)));
  let fault: unknown = new TransportError('unreachable');
  for (const [at, host] of hosts.entries()) {
    if (deadline.signal.aborted) throw new TransportError('timeout');
    const shareMs = (deadline.endsAt - performance.now()) / (hosts.length - at);
    try {
      const service = await withinDeadline(shareMs, deadline.signal, (signal) =>
        openService(use, host, signal),
      );
      reach.shunned.remove(host);
      return { host, service, judge: undefined, isReused: false };
    } catch (error) {
      if (!isOfServer(error)) throw error;
      reach.shunned.add(host);
      fault = error;
    }
  }
  throw fault;
}

/** Connects and binds the search account. This detects servers that accept connections but do not respond. */
async function openService(use: LaneUse, host: string, signal: AbortSignal): Promise<Connection> {
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
 * @returns the session of a lane, and whether a password was sent that the server may have checked: another server
 * must not count a wrong password a second time
 */
export function sessionOn(use: LaneUse, lane: Lane): { session: DirectorySession; hasSent: () => boolean } {
  let hasSent = false;
  const session: DirectorySession = {
    search: async (search) => {
      try {
        return await lane.service.search(search, use.directory.pageSize);
      } catch (error) {
        throw use.directory.account ? error : (needsAccount(error) ?? error);
      }
    },
    judge: async (dn, password) => {
      // RFC 4513 section 5.1.2: a bind without a password succeeds as anonymous and proves nothing.
      if (dn === '' || password === '') return { verdict: 'refused', reason: undefined };
      if (!lane.judge?.isOpen()) lane.judge = await connect(use, lane.host, use.deadline.signal);
      hasSent = true;
      try {
        return await lane.judge.judge(dn, password);
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

const connect = ({ reach, directory }: LaneUse, host: string, signal: AbortSignal): Promise<Connection> =>
  connectTo(reach.sockets, destinationOf(host, directory, reach.networks), signal);
