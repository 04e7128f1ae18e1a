import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { BerWriter } from 'ldapts';
import { createMessageReader, type LdapMessage } from './ldap-messages.ts';

type Attributes = Readonly<Record<string, readonly (string | Buffer)[]>>;

/** The reaction of a fake directory to a request: a result, a closed connection, or a notice first. */
export type FakeAnswer =
  | {
      code: number;
      message?: string;
      entries?: readonly { dn: string; values: Attributes }[];
      afterMs?: number;
    }
  | 'cut'
  | 'notice';

export type FakeDirectory = {
  url: string;
  /** Requests in their order. */
  asked: string[];
  connections(): number;
  /** Closes the current connections. */
  cutAll(): void;
  close(): Promise<void>;
};

/** A server on a real socket with enough LDAP for a login; for faults that real servers do not have on demand. */
export async function startFakeDirectory(
  answer: (request: LdapMessage) => FakeAnswer,
): Promise<FakeDirectory> {
  const asked: string[] = [];
  const open = new Set<Socket>();
  let made = 0;
  const server = createServer((socket) => {
    made += 1;
    open.add(socket.on('error', () => undefined).once('close', () => open.delete(socket)));
    const read = createMessageReader((request) => {
      if (isAboutIdentity(request)) return void reply(socket, request, { code: 0 });
      asked.push(request.operation);
      void reply(socket, request, answer(request));
    });
    socket.on('data', read);
  });
  const port = await listenOnUnusedPort(server);
  const cutAll = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    url: `ldap://127.0.0.1:${port}`,
    asked,
    connections: () => made,
    cutAll,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        cutAll();
      }),
  };
}

/** Each new connection reads the naming contexts first. The fake shows no identity, and these searches are not among the requests. */
const isAboutIdentity = ({ operation, octets }: LdapMessage): boolean =>
  operation === 'search' && octets.includes('namingContexts');

const usedPorts = new Set<number>();

/** The portal avoids an address that failed recently: a port of an earlier fake would be avoided from the beginning. */
async function listenOnUnusedPort(server: Server): Promise<number> {
  for (;;) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    if (!usedPorts.has(port)) {
      usedPorts.add(port);
      return port;
    }
    await new Promise((resolve) => server.close(resolve));
  }
}

async function reply(socket: Socket, { id, operation }: LdapMessage, answer: FakeAnswer): Promise<void> {
  if (operation === 'unbind' || answer === 'cut') return void socket.destroy();
  // It leaves the connection open: the client must not wait for more.
  if (answer === 'notice') return void socket.write(message(0, 0x78, 52, '', noticeOid));
  if (answer.afterMs) await delay(answer.afterMs);
  for (const { dn, values } of answer.entries ?? []) socket.write(entry(id, dn, values));
  socket.write(message(id, operation === 'bind' ? 0x61 : 0x65, answer.code, answer.message ?? ''));
}

const noticeOid = '1.3.6.1.4.1.1466.20036';

function message(id: number, tag: number, code: number, text: string, oid?: string): Buffer {
  const writer = new BerWriter();
  writer.startSequence();
  writer.writeInt(id);
  writer.startSequence(tag);
  writer.writeEnumeration(code);
  writer.writeString('');
  writer.writeString(text);
  if (oid) writer.writeString(oid, 0x8a);
  writer.endSequence();
  writer.endSequence();
  return writer.buffer;
}

function entry(id: number, dn: string, values: Attributes): Buffer {
  const writer = new BerWriter();
  writer.startSequence();
  writer.writeInt(id);
  writer.startSequence(0x64);
  writer.writeString(dn);
  writer.startSequence();
  for (const [name, given] of Object.entries(values)) {
    writer.startSequence();
    writer.writeString(name);
    writer.startSequence(0x31);
    for (const value of given) writer.writeBuffer(Buffer.from(value), 0x04);
    writer.endSequence();
    writer.endSequence();
  }
  writer.endSequence();
  writer.endSequence();
  writer.endSequence();
  return writer.buffer;
}
