import type { Buffer } from 'node:buffer';
import type { Socket } from 'node:net';
import { Client, type Entry as LdapEntry } from 'ldapts';
import { TransportError } from '../http/transport.ts';
import { isRejection } from './failures.ts';
import { toLdap } from './filters.ts';
import type { Directory, DirectorySession, Entry, Search } from './port.ts';
import type { Destination, DirectorySockets } from './sockets.ts';

export type OpenSession = DirectorySession & { close(): void };

/**
 * Connects, encrypts and binds; a server that accepts connections and says nothing is found out here.
 * @param signal ends the connection when it aborts, at any time
 */
export async function openSession(
  sockets: DirectorySockets,
  destination: Destination,
  { account, pageSize }: Pick<Directory, 'account' | 'pageSize'>,
  signal: AbortSignal,
): Promise<OpenSession> {
  const socket = await sockets.open(destination, signal);
  const client = new Client({ url: 'ldap://directory', createConnection: () => socket });
  try {
    if (destination.security === 'start_tls')
      await asking(socket, () => client.startTLS(sockets.startTls(destination)));
    const bindAccount = () =>
      asking(socket, () => client.bind(account?.dn ?? '', account ? account.password : ''));
    await bindAccount();
    return { ...sessionOf(client, socket, pageSize, bindAccount), close: () => void socket.destroy() };
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function sessionOf(
  client: Client,
  socket: Socket,
  pageSize: number,
  bindAccount: () => Promise<void>,
): DirectorySession {
  let isAccount = true;
  return {
    accepts: async (dn, password) => {
      // RFC 4513 section 5.1.2: a bind without a password succeeds, and proves nothing.
      if (dn === '' || password === '') return false;
      isAccount = false;
      try {
        await asking(socket, () => client.bind(dn, password));
        return true;
      } catch (error) {
        if (isRejection(error)) return false;
        throw error;
      }
    },
    search: async (search) => {
      if (!isAccount) await bindAccount();
      isAccount = true;
      return asking(socket, () => searchAll(client, search, pageSize));
    },
  };
}

/** Page by page, so that a limit of the server on one answer does not cut the result; few entries need no pages. */
async function searchAll(client: Client, search: Search, pageSize: number): Promise<Entry[]> {
  const { base, filter, attributes, scope = 'sub', most } = search;
  const options = {
    scope,
    filter: toLdap(filter),
    attributes: [...attributes],
    explicitBufferAttributes: binaryAttributes,
  };
  if (most <= 2) {
    const { searchEntries } = await client.search(base, { ...options, sizeLimit: most });
    return searchEntries.map(toEntry);
  }
  const found: Entry[] = [];
  for await (const { searchEntries } of client.searchPaginated(base, { ...options, paged: { pageSize } })) {
    found.push(...searchEntries.map(toEntry));
    if (found.length >= most) break;
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

/** Attributes whose values are octets; they are read as hexadecimal. */
const binaryAttributes = ['objectGUID'];
const isBinary = new Set(binaryAttributes.map((name) => name.toLowerCase()));

function textOf(name: string, value: string | Buffer): string[] {
  if (typeof value === 'string') return [value];
  return isBinary.has(name) ? [value.toString('hex')] : [];
}

/** The client has no code for a connection that ended under a question. */
async function asking<T>(socket: Socket, question: () => Promise<T>): Promise<T> {
  try {
    return await question();
  } catch (error) {
    const hasCode = error instanceof Error && 'code' in error;
    if (socket.destroyed && !hasCode) throw new TransportError('unreachable', {}, { cause: error });
    throw error;
  }
}
