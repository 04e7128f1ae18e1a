import { createTurnstile, type Turnstile } from '../../kernel/turnstile.ts';
import { type Network, parseNetworks, type UrlPolicy } from '../http/address-policy.ts';
import { withinDeadline } from '../http/deadline.ts';
import { TransportError } from '../http/transport.ts';
import { fromDirectory, isOfServer } from './failures.ts';
import type { Directory, DirectoryRemote } from './port.ts';
import { type OpenSession, openSession } from './session.ts';
import { type DirectorySockets, destinationOf } from './sockets.ts';

type Options = {
  /** Connections to one directory at once, and how many may wait for one. */
  width?: number;
  maxWaiting?: number;
};

/** Servers that failed are asked last for so long. */
const shunnedMs = 30_000;
const mostRemembered = 1_000;

/** Directories by LDAP (RFC 4511), a connection for each use; servers that failed lately are asked last. */
export function createDirectoryRemote(
  sockets: DirectorySockets,
  policy: UrlPolicy,
  { width = 16, maxWaiting = 128 }: Options = {},
): DirectoryRemote {
  const reach: Reach = { sockets, networks: parseNetworks(policy.allowedNetworks), failedAt: new Map() };
  const queues = createQueues(() => createTurnstile(width, maxWaiting));
  return {
    within: async (directory, work) => {
      try {
        const endsAt = performance.now() + directory.timeoutMs;
        return await withinDeadline(directory.timeoutMs, undefined, (signal) =>
          queues.wait(directory.hosts.join(' '), () => use(reach, directory, { endsAt, signal }, work)),
        );
      } catch (error) {
        throw fromDirectory(error);
      }
    },
  };
}

type Reach = { sockets: DirectorySockets; networks: readonly Network[]; failedAt: Map<string, number> };
/** `endsAt` by the monotonic clock; the signal aborts then. */
type Deadline = { endsAt: number; signal: AbortSignal };

async function use<T>(
  reach: Reach,
  directory: Directory,
  deadline: Deadline,
  work: (session: OpenSession) => Promise<T>,
): Promise<T> {
  const { host, session } = await openAny(reach, directory, deadline);
  try {
    return await work(session);
  } catch (error) {
    if (deadline.signal.aborted) shun(reach, host);
    throw error;
  } finally {
    session.close();
  }
}

/** Each server gets an even share of the time that is left, so that one that hangs leaves some for the next. */
async function openAny(reach: Reach, directory: Directory, { endsAt, signal }: Deadline) {
  const hosts = inOrder(reach, directory.hosts);
  let fault: unknown = new TransportError('unreachable');
  for (const [at, host] of hosts.entries()) {
    if (signal.aborted) throw new TransportError('timeout');
    const shareMs = (endsAt - performance.now()) / (hosts.length - at);
    try {
      const session = await openOne(reach, directory, host, { shareMs, signal });
      reach.failedAt.delete(host);
      return { host, session };
    } catch (error) {
      if (!isOfServer(error)) throw error;
      shun(reach, host);
      fault = error;
    }
  }
  throw fault;
}

async function openOne(
  { sockets, networks }: Reach,
  directory: Directory,
  host: string,
  { shareMs, signal }: { shareMs: number; signal: AbortSignal },
): Promise<OpenSession> {
  const destination = destinationOf(host, directory, networks);
  // What is opened must end with the whole, too, and with its share only while it is being opened.
  const life = new AbortController();
  const end = () => life.abort();
  signal.addEventListener('abort', end, { once: true });
  return withinDeadline(shareMs, signal, async (share) => {
    share.addEventListener('abort', end, { once: true });
    const session = await openSession(sockets, destination, directory, life.signal);
    share.removeEventListener('abort', end);
    return session;
  });
}

function shun({ failedAt }: Reach, host: string): void {
  const [oldest] = failedAt.size >= mostRemembered ? failedAt.keys() : [];
  if (oldest !== undefined) failedAt.delete(oldest);
  failedAt.set(host, performance.now());
}

function inOrder({ failedAt }: Reach, hosts: readonly string[]): string[] {
  const after = performance.now() - shunnedMs;
  const isShunned = (host: string): boolean => (failedAt.get(host) ?? Number.NEGATIVE_INFINITY) > after;
  return [...hosts.filter((host) => !isShunned(host)), ...hosts.filter(isShunned)];
}

/** A line for each directory, as long as somebody is in it: one that hangs holds up nobody else. */
function createQueues(create: () => Turnstile) {
  const queues = new Map<string, { turn: Turnstile; users: number }>();
  return {
    wait: async <T>(key: string, work: () => Promise<T>): Promise<T> => {
      const queue = queues.get(key) ?? { turn: create(), users: 0 };
      queues.set(key, queue);
      queue.users += 1;
      try {
        return await queue.turn(work);
      } finally {
        queue.users -= 1;
        if (queue.users === 0) queues.delete(key);
      }
    },
  };
}
