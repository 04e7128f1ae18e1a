import { Buffer } from 'node:buffer';

/** A message of PostgreSQL's frontend/backend protocol 3.0: type byte, length, body. */
export type Message = Buffer;

export class ProtocolError extends Error {}

const codes = { start: 196_608, cancel: 80_877_102, tls: 80_877_103, gss: 80_877_104 } as const;
export type Opening = keyof typeof codes;

const maxBytes = 256 * 1024 * 1024;

/** Cuts what a client sends into its untyped opening messages and, after `start`, its typed ones. */
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
    isOpen ||= opening === 'start';
    needed = isOpen ? 5 : 8;
    return opening ?? message;
  };
  return (chunk) => {
    chunks.push(chunk);
    bytes += chunk.length;
    const found: (Opening | Message)[] = [];
    // Joined only when a message may be whole: a large one comes in many pieces.
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
  for (const name of ['start', 'cancel', 'tls', 'gss'] as const) if (codes[name] === code) return name;
  throw new ProtocolError('unsupported protocol version');
}

export const typeOf = (message: Message): string => String.fromCharCode(message[0] ?? 0);

/** Any message but the opening: type, length, body. */
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
export const fatal = (sqlState: string, text: string): Message =>
  messageOf('E', `SFATAL\0VFATAL\0C${sqlState}\0M${text}\0\0`);

/** The startup message for database and user `postgres`. */
export function startup(): Buffer {
  const body = Buffer.from('user\0postgres\0database\0postgres\0\0');
  const head = Buffer.alloc(8);
  head.writeUInt32BE(body.length + 8, 0);
  head.writeUInt32BE(codes.start, 4);
  return Buffer.concat([head, body]);
}

/** The engine ends when it has to read rows from its client, so that statement becomes one that fails. */
export function refuseCopy(message: Message): Message {
  const type = typeOf(message);
  if (type !== 'Q' && type !== 'P') return message;
  const start = type === 'Q' ? 5 : message.indexOf(0, 5) + 1;
  const opening = message.toString('latin1', start, start + 400);
  if (!/^\s*copy\s[^;]*\sfrom\s+stdin\b/i.test(opening)) return message;
  const failing = `do $$ begin raise feature_not_supported using message = 'no COPY from a client'; end $$`;
  return type === 'Q'
    ? query(failing)
    : messageOf('P', `${message.toString('utf8', 5, start)}${failing}\0\0\0`);
}

/**
 * Puts a prefix before the name of a prepared statement in the messages that carry one; the unnamed one stays.
 * @returns the message, and the new name when the message makes a statement
 */
export function renameStatement(message: Message, prefix: string): { message: Message; made?: string } {
  const type = typeOf(message);
  const body = message.subarray(5);
  if (type === 'P') {
    const renamed = prefixAt(body, 0, prefix);
    return renamed ? { message: messageOf('P', renamed.body), made: renamed.name } : { message };
  }
  const at = type === 'B' ? body.indexOf(0) + 1 : 1;
  const names = type === 'B' || ((type === 'D' || type === 'C') && body[0] === 'S'.charCodeAt(0));
  const renamed = names ? prefixAt(body, at, prefix) : undefined;
  return { message: renamed ? messageOf(type, renamed.body) : message };
}

function prefixAt(body: Buffer, at: number, prefix: string): { body: Buffer; name: string } | undefined {
  const end = body.indexOf(0, at);
  if (end <= at) return undefined;
  const name = prefix + body.toString('utf8', at, end);
  return { body: Buffer.concat([body.subarray(0, at), Buffer.from(name), body.subarray(end)]), name };
}
