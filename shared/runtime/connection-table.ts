import { createLinkedList, type Entry, entryOf, type LinkedList } from '../kernel/linked-list.ts';

export type ConnectionLimits = {
  /** Connections in all. */
  total: number;
  /** Connections of one IPv4 address or one IPv6 /64. `Infinity` turns the limit off. */
  perAddress: number;
};

/** The connections of one server. Every operation takes constant time. */
export type ConnectionTable<S> = {
  size(): number;
  all(): Iterable<Connection<S>>;
  /**
   * Adds a connection without a request. At a limit the connection that has been idle longest is closed first.
   * @returns undefined if the limit is reached and every connection has a request in flight
   */
  admit(socket: S, address: string): Connection<S> | undefined;
  /** A request begins on the connection. */
  begin(connection: Connection<S>): void;
  /** A request of the connection has ended. */
  end(connection: Connection<S>): void;
  remove(connection: Connection<S>): void;
  /** Closes the connection that has been idle longest. @returns false if none is idle */
  closeOldest(): boolean;
};

export class Connection<S> {
  readonly socket: S;
  readonly peer: Peer<S>;
  /** Requests in flight. */
  requests = 0;
  isOpen = true;
  /** Its places in the idle lists of the server and of its address. */
  readonly inAll: Entry<Connection<S>> = entryOf<Connection<S>>(this);
  readonly inPeer: Entry<Connection<S>> = entryOf<Connection<S>>(this);

  constructor(socket: S, peer: Peer<S>) {
    this.socket = socket;
    this.peer = peer;
  }
}

type Peer<S> = { address: string; count: number; idle: LinkedList<Connection<S>> };

/**
 * @param close closes a socket of this table
 * @param isScarce true if the process has too few descriptors for another connection
 */
export function createConnectionTable<S>(
  { total, perAddress }: ConnectionLimits,
  close: (socket: S) => void,
  isScarce: () => boolean = () => false,
): ConnectionTable<S> {
  const connections = new Set<Connection<S>>();
  const peers = new Map<string, Peer<S>>();
  const idle = createLinkedList<Connection<S>>();
  const rest = (connection: Connection<S>): void => {
    idle.append(connection.inAll);
    connection.peer.idle.append(connection.inPeer);
  };
  const wake = (connection: Connection<S>): void => {
    idle.remove(connection.inAll);
    connection.peer.idle.remove(connection.inPeer);
  };
  const remove = (connection: Connection<S>): void => {
    if (!connection.isOpen) return;
    connection.isOpen = false;
    connections.delete(connection);
    if (connection.requests === 0) wake(connection);
    const { peer } = connection;
    peer.count -= 1;
    if (peer.count === 0) peers.delete(peer.address);
  };
  const closeFirst = (list: LinkedList<Connection<S>>): boolean => {
    const oldest = list.first();
    if (!oldest) return false;
    remove(oldest);
    close(oldest.socket);
    return true;
  };
  const hasRoomFor = (peer: Peer<S>): boolean => {
    if (peer.count >= perAddress) return closeFirst(peer.idle);
    if (connections.size < total && !isScarce()) return true;
    // An address with most of the connections makes room among its own, so that it displaces no other client.
    return (peer.count * 2 > connections.size && closeFirst(peer.idle)) || closeFirst(idle);
  };
  return {
    size: () => connections.size,
    all: () => connections,
    admit: (socket, address) => {
      const peer = peers.get(address) ?? { address, count: 0, idle: createLinkedList() };
      if (!hasRoomFor(peer)) return undefined;
      const connection = new Connection(socket, peer);
      peer.count += 1;
      // Making room may have removed the last connection of the same address.
      peers.set(address, peer);
      connections.add(connection);
      rest(connection);
      return connection;
    },
    begin: (connection) => {
      if (connection.isOpen && connection.requests === 0) wake(connection);
      connection.requests += 1;
    },
    end: (connection) => {
      connection.requests -= 1;
      if (connection.isOpen && connection.requests === 0) rest(connection);
    },
    remove,
    closeOldest: () => closeFirst(idle),
  };
}
