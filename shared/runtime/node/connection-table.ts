import {
  createLinkedList,
  type Entry,
  entryOf,
  type LinkedList,
} from '../../kernel/concurrency/linked-list.ts';

export type ConnectionLimits = {
  /** Total number of connections. */
  total: number;
  /** Connections per IPv4 address or IPv6 /64. `Infinity` disables the limit. */
  perAddress: number;
};

type Peer<S> = { address: string; count: number; idle: LinkedList<Connection<S>> };

/** An open connection. It is idle while it has no request in flight. */
export class Connection<S> {
  readonly socket: S;
  readonly peer: Peer<S>;
  /** Requests in flight. */
  requests = 0;
  isOpen = true;
  /** Entries in the idle lists of the server and of the address. */
  readonly inAll: Entry<Connection<S>> = entryOf<Connection<S>>(this);
  readonly inPeer: Entry<Connection<S>> = entryOf<Connection<S>>(this);

  constructor(socket: S, peer: Peer<S>) {
    this.socket = socket;
    this.peer = peer;
  }
}

/** The connections of one server. Every operation takes constant time. */
export class ConnectionTable<S> {
  readonly #limits: ConnectionLimits;
  readonly #close: (socket: S) => void;
  readonly #isScarce: () => boolean;
  readonly #connections = new Set<Connection<S>>();
  readonly #peers = new Map<string, Peer<S>>();
  readonly #idle: LinkedList<Connection<S>> = createLinkedList();

  /**
   * @param close closes a socket of the table
   * @param isScarce true if the process has too few descriptors for another connection
   */
  constructor(limits: ConnectionLimits, close: (socket: S) => void, isScarce = () => false) {
    this.#limits = limits;
    this.#close = close;
    this.#isScarce = isScarce;
  }

  get size(): number {
    return this.#connections.size;
  }

  all(): Iterable<Connection<S>> {
    return this.#connections;
  }

  /**
   * Adds a connection without a request. At a limit the connection that has been idle longest is closed first.
   * @returns undefined if the limit is reached and every connection has a request in flight
   */
  admit(socket: S, address: string): Connection<S> | undefined {
    const peer = this.#peers.get(address) ?? { address, count: 0, idle: createLinkedList() };
    if (!this.#hasRoomFor(peer)) return undefined;
    const connection = new Connection(socket, peer);
    peer.count += 1;
    // Making room may have removed the last connection of the same address.
    this.#peers.set(address, peer);
    this.#connections.add(connection);
    this.#rest(connection);
    return connection;
  }

  /** A request begins on the connection. */
  begin(connection: Connection<S>): void {
    if (connection.isOpen && connection.requests === 0) this.#wake(connection);
    connection.requests += 1;
  }

  /** A request of the connection has ended. */
  end(connection: Connection<S>): void {
    connection.requests -= 1;
    if (connection.isOpen && connection.requests === 0) this.#rest(connection);
  }

  remove(connection: Connection<S>): void {
    if (!connection.isOpen) return;
    connection.isOpen = false;
    this.#connections.delete(connection);
    if (connection.requests === 0) this.#wake(connection);
    const { peer } = connection;
    peer.count -= 1;
    if (peer.count === 0) this.#peers.delete(peer.address);
  }

  /** Closes the connection that has been idle longest. @returns false if none is idle */
  closeOldest(): boolean {
    return this.#closeFirst(this.#idle);
  }

  #hasRoomFor(peer: Peer<S>): boolean {
    const { total, perAddress } = this.#limits;
    if (peer.count >= perAddress) return this.#closeFirst(peer.idle);
    if (this.size < total && !this.#isScarce()) return true;
    // An address with most of the connections makes room among its own, so that it does not displace other clients.
    return (peer.count * 2 > this.size && this.#closeFirst(peer.idle)) || this.closeOldest();
  }

  #closeFirst(list: LinkedList<Connection<S>>): boolean {
    const oldest = list.first();
    if (!oldest) return false;
    this.remove(oldest);
    this.#close(oldest.socket);
    return true;
  }

  #rest(connection: Connection<S>): void {
    this.#idle.append(connection.inAll);
    connection.peer.idle.append(connection.inPeer);
  }

  #wake(connection: Connection<S>): void {
    this.#idle.remove(connection.inAll);
    connection.peer.idle.remove(connection.inPeer);
  }
}
