import { Buffer } from 'node:buffer';
import type { Socket } from 'node:net';
import { Client, type Entry as LdapEntry } from 'ldapts';
import { TransportError } from '../http/transport.ts';
import { isRejection } from './failures.ts';
import { toLdap } from './filters.ts';
import {
  bindControls,
  type PasswordVerdict,
  verdictOfAccepted,
  verdictOfRefused,
} from './password-verdict.ts';
import type { Directory, Entry, Search } from './port.ts';
import { isSidAttribute, sidText } from './sids.ts';
import type { Destination, DirectorySockets } from './sockets.ts';

/** Runs one step with a server within the time that the server has. */
export type Timed = <T>(step: (signal: AbortSignal) => Promise<T>) => Promise<T>;

/** One connection to one server. */
export type Connection = {
  isOpen(): boolean;
  /** @throws Error of the LDAP client with the result code */
  bind(account: Directory['account']): Promise<void>;
  /** Binds as an entry. The connection keeps this identity afterwards. */
  checkPassword(dn: string, password: string): Promise<PasswordVerdict>;
  /** @param inTime limits the time of each page */
  search(search: Search, pageSize: number, inTime: Timed): Promise<Entry[]>;
  /** Whether the connection keeps the process alive. */
  hold(isHeld: boolean): void;
  close(): void;
};

/** Connects and encrypts. @param signal aborts the attempt */
export async function connectTo(
  sockets: DirectorySockets,
  destination: Destination,
  signal: AbortSignal,
): Promise<Connection> {
  const socket = await sockets.open(destination, signal);
  socket.on('data', (piece: Buffer) => {
    if (isNoticeOfDisconnection(piece)) socket.destroy();
  });
  const client = new Client({ url: 'ldap://directory', createConnection: () => socket });
  try {
    if (destination.security === 'start_tls')
      await withConnection(socket, () => client.startTLS(sockets.startTls(destination)));
    return connectionOf(client, socket);
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

const connectionOf = (client: Client, socket: Socket): Connection => ({
  isOpen: () => !socket.destroyed && socket.readable && socket.writable,
  bind: (account) => withConnection(socket, () => client.bind(account?.dn ?? '', account?.password ?? '')),
  checkPassword: async (dn, password) => {
    const { controls, reason } = bindControls();
    try {
      await withConnection(socket, () => client.bind(dn, password, controls));
      return verdictOfAccepted(reason());
    } catch (error) {
      if (isRejection(error)) return verdictOfRefused(error, reason());
      throw error;
    }
  },
  search: (search, pageSize, inTime) =>
    withConnection(socket, () => searchAll(client, search, { pageSize, inTime })),
  // Sockets of Workers have neither method.
  hold: (isHeld) => void (isHeld ? socket.ref?.() : socket.unref?.()),
  close: () => void socket.destroy(),
});

/** Searches in pages, because of the server's size limit per response; a search for few entries needs no paging. */
async function searchAll(
  client: Client,
  search: Search,
  { pageSize, inTime }: { pageSize: number; inTime: Timed },
): Promise<Entry[]> {
  const { base, filter, attributes, scope = 'sub', namesOnly = false, most } = search;
  const options = {
    scope,
    filter: toLdap(filter),
    attributes: [...attributes],
    returnAttributeValues: !namesOnly,
    explicitBufferAttributes: [...attributes.filter(isSidAttribute), ...binaryAttributes],
  };
  if (most <= 4) {
    const { searchEntries } = await inTime(() => client.search(base, { ...options, sizeLimit: most }));
    return searchEntries.map(toEntry);
  }
  const found: Entry[] = [];
  const pages = client.searchPaginated(base, { ...options, paged: { pageSize } });
  while (found.length < most) {
    const { done, value } = await inTime(() => pages.next());
    if (done) break;
    found.push(...value.searchEntries.map(toEntry));
  }
  return found.slice(0, most);
}

function toEntry({ dn, ...attributes }: LdapEntry): Entry {
  const values = Object.entries(attributes).map(([name, given]) => {
    const texts = [given].flat().flatMap((value) => textOf(name.toLowerCase(), value));
    return [name.toLowerCase(), texts] as const;
  });
  return { dn, values: Object.fromEntries(values) };
}

/** Attributes with binary values, returned as hexadecimal. */
const binaryAttributes = ['objectGUID'];
const isBinary = new Set(binaryAttributes.map((name) => name.toLowerCase()));

function textOf(name: string, value: string | Buffer): string[] {
  if (typeof value === 'string') return [value];
  const sid = isSidAttribute(name) ? sidText(value) : undefined;
  if (sid !== undefined) return [sid];
  return isBinary.has(name) ? [value.toString('hex')] : [];
}

/**
 * The LDAP client has no error code for a connection that closes during a request, and would send to a closed one.
 */
async function withConnection<T>(socket: Socket, question: () => Promise<T>): Promise<T> {
  if (socket.destroyed) throw new TransportError('unreachable');
  try {
    return await question();
  } catch (error) {
    const hasCode = error instanceof Error && 'code' in error;
    if (socket.destroyed && !hasCode) throw new TransportError('unreachable', {}, { cause: error });
    throw error;
  }
}

/**
 * Notice of Disconnection (RFC 4511 section 4.4.1): an extended response with message id 0. The server sends no
 * further responses, although it may keep the connection open for a while.
 */
function isNoticeOfDisconnection(piece: Buffer): boolean {
  const [tag, length = 0] = piece;
  const at = 2 + (length > 0x80 ? length & 0x7f : 0);
  return tag === 0x30 && piece.subarray(at, at + 4).equals(notice);
}

const notice = Buffer.from([0x02, 0x01, 0x00, 0x78]);
