import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import type { LimitedCall, LimitedResponse } from './limited-calls.ts';

type RawAnswer = LimitedResponse & { headers: Headers };

/** A connection to a server with an arbitrary client. */
export type RawClient = {
  socket: Socket;
  /** The next response, in the order of the requests. @throws Error when the connection ends before it */
  answer(): Promise<RawAnswer>;
  /** Whether the connection has ended, on either side. */
  closed: Promise<void>;
  /** Bytes that the operating system has taken for the server. */
  sent(): number;
};

/** Connects by TCP or TLS, depending on the URL. The certificate of the server is not verified. */
export async function connectRaw(baseUrl: string): Promise<RawClient> {
  const { protocol, hostname: host, port } = new URL(baseUrl);
  const isSecure = protocol === 'https:';
  const socket = isSecure
    ? connectSecure({ host, port: Number(port), rejectUnauthorized: false })
    : connect({ host, port: Number(port) });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await once(socket, isSecure ? 'secureConnect' : 'connect');
  socket.on('error', () => undefined);
  let received = Buffer.alloc(0);
  let arrived = Promise.withResolvers<void>();
  socket.on('data', (bytes) => {
    received = Buffer.concat([received, bytes]);
    arrived.resolve();
    arrived = Promise.withResolvers();
  });
  const answer = async (): Promise<RawAnswer> => {
    for (;;) {
      const parsed = parse(received);
      if (parsed) {
        received = received.subarray(parsed.length);
        return parsed.answer;
      }
      if (socket.destroyed) throw new Error(`the connection ended after ${received.length} bytes`);
      await Promise.race([arrived.promise, closed]);
    }
  };
  return { socket, answer, closed, sent: () => socket.bytesWritten - socket.writableLength };
}

/** A request without its body. */
export function headOf({ route, headers }: Pick<LimitedCall, 'route' | 'headers'>, framing: string): string {
  const own = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const lines = [`${route} HTTP/1.1`, 'Host: localhost', 'Content-Type: application/json', ...own, framing];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

export const chunked = 'Transfer-Encoding: chunked';
export const lastChunk = '0\r\n\r\n';

/** Chunks of a body, without the last one, which is empty. */
export function chunksOf(bytes: Buffer, size = 16_384): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    const piece = bytes.subarray(at, at + size);
    pieces.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'));
  }
  return Buffer.concat(pieces);
}

const spaces = chunksOf(Buffer.alloc(262_144, ' '));

/** Sends spaces in chunks for as long as the server accepts them, whatever it answers. */
export function flood({ socket }: RawClient): void {
  const pump = (): void => {
    if (socket.writable) socket.write(spaces, () => setImmediate(pump));
  };
  pump();
}

function parse(received: Buffer): { answer: RawAnswer; length: number } | undefined {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [first = '', ...lines] = received.subarray(0, end).toString('latin1').split('\r\n');
  const headers = new Headers(
    lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const body = bodyOf(headers, received.subarray(end + 4));
  if (!body) return undefined;
  const answer = {
    status: Number(first.split(' ')[1]),
    contentType: headers.get('content-type'),
    headers,
    body: body.text.startsWith('{') ? JSON.parse(body.text) : body.text,
  };
  return { answer, length: end + 4 + body.length };
}

/** By its length, or in chunks that are ASCII. */
function bodyOf(headers: Headers, rest: Buffer): { text: string; length: number } | undefined {
  if (headers.get('transfer-encoding') !== 'chunked') {
    const length = Number(headers.get('content-length') ?? 0);
    return rest.length < length ? undefined : { text: rest.toString('utf8', 0, length), length };
  }
  let text = '';
  for (let at = 0; ; ) {
    const line = rest.indexOf('\r\n', at);
    if (line < 0) return undefined;
    const size = Number.parseInt(rest.toString('latin1', at, line), 16);
    at = line + 2 + size + 2;
    if (rest.length < at) return undefined;
    if (size === 0) return { text, length: at };
    text += rest.toString('utf8', line + 2, line + 2 + size);
  }
}
