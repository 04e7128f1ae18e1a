import { Buffer } from 'node:buffer';

/** A message of the PostgreSQL frontend/backend protocol 3.0: type byte, length, body. */
export type Message = Buffer;

export class ProtocolError extends Error {}

const codes = { start: 196_608, cancel: 80_877_102, tls: 80_877_103, gss: 80_877_104 } as const;

/** The first message of a connection, which has no type byte. `body` follows the code. */
export type Opening = { kind: keyof typeof codes; body: Buffer };

const maxBytes = 256 * 1024 * 1024;

export const isOpening = (part: Opening | Message): part is Opening => !Buffer.isBuffer(part);

/** Splits the input of a client into its untyped opening messages and, after `start`, its typed messages. */
export function createReader(): (chunk: Buffer) => (Opening | Message)[] {
  let chunks: Buffer[] = [];
  let bytes = 0;
  let needed = 8;
  let isOpen = false;
  const cut = (): Opening | Message | undefined => {
    const input = Buffer.concat(chunks);
    chunks = [input];
    needed = lengthOf(input, isOpen);
    if (bytes < needed) return undefined;
    const message = input.subarray(0, needed);
    chunks = [input.subarray(needed)];
    bytes -= needed;
    const opening = isOpen ? undefined : openingOf(message);
    isOpen ||= opening?.kind === 'start';
    needed = isOpen ? 5 : 8;
    return opening ?? message;
  };
  return (chunk) => {
    chunks.push(chunk);
    bytes += chunk.length;
    const found: (Opening | Message)[] = [];
    // Chunks are joined only when a message may be complete, because large messages arrive in many chunks.
    while (bytes >= needed) {
      const message = cut();
      if (message !== undefined) found.push(message);
    }
    return found;
  };
}

function lengthOf(input: Buffer, isTyped: boolean): number {
  const length = isTyped ? 1 + input.readUInt32BE(1) : input.readUInt32BE(0);
  if (length > maxBytes || length < (isTyped ? 5 : 8)) throw new ProtocolError('invalid message length');
  return length;
}

function openingOf(message: Buffer): Opening {
  const code = message.readUInt32BE(4);
  for (const kind of ['start', 'cancel', 'tls', 'gss'] as const) {
    if (codes[kind] === code) return { kind, body: message.subarray(8) };
  }
  throw new ProtocolError('unsupported protocol version');
}

export const typeOf = (message: Message): string => String.fromCharCode(message[0] ?? 0);

/** Builds a typed message: type, length, body. */
export function messageOf(type: string, body: Buffer | string = ''): Message {
  const content = typeof body === 'string' ? Buffer.from(body) : body;
  const head = Buffer.alloc(5);
  head.write(type, 'latin1');
  head.writeUInt32BE(content.length + 4, 1);
  return Buffer.concat([head, content]);
}

export const query = (sql: string): Message => messageOf('Q', `${sql}\0`);
export const sync: Message = messageOf('S');
export const closeStatement = (name: string): Message => messageOf('C', `S${name}\0`);

/** A PostgreSQL error: SQLSTATE and primary message. */
export type Problem = { code: string; message: string };

export const errorMessage = (severity: 'ERROR' | 'FATAL', { code, message }: Problem): Message =>
  messageOf('E', `S${severity}\0V${severity}\0C${code}\0M${message}\0\0`);

export const readyForQuery = (status: 'I' | 'T' | 'E'): Message => messageOf('Z', status);

/** @returns the text up to the next zero byte, and the offset after it */
export function readText(bytes: Buffer, start: number): [text: string, next: number] {
  const end = bytes.indexOf(0, start);
  if (end < 0) throw new ProtocolError('a text without its end');
  return [bytes.toString('utf8', start, end), end + 1];
}

/** The startup message for database and user `postgres`. */
export function startup(): Buffer {
  const body = Buffer.from('user\0postgres\0database\0postgres\0\0');
  const head = Buffer.alloc(8);
  head.writeUInt32BE(body.length + 8, 0);
  head.writeUInt32BE(codes.start, 4);
  return Buffer.concat([head, body]);
}
