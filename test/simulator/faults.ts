import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';

/**
 * Lists that never end: the first page again with one cursor, or with three in turn; empty pages, or the first page, with
 * ever new cursors.
 */
export type CursorLie = 'same' | 'cycle' | 'empty' | 'endless';

/** The response to a successful action in place of the row. */
export type Terse = 'no_content' | 'empty_object' | 'text' | 'other_row' | 'bad_members';

export type ListName = 'servicespools' | 'workplaces' | 'spsessions' | 'tags' | 'services';
type Row = Record<string, unknown>;

type Lie = 'html' | 'half_json' | 'other_schema' | 'huge' | 'gzip_bomb' | 'redirect';

/** Settings that a test may change at any time; they apply to the next request. */
export type Knobs = {
  /** Only paths with this prefix have the faults below; `null` is every path. */
  path: string | null;
  latencyMs: number;
  /** Answers with this status. */
  failing: number | null;
  /** Never answers, or sends headers and a part of a body. */
  hang: 'headers' | 'body' | null;
  /** One byte a second, without end. */
  dripping: boolean;
  /** Closes the connection instead of answering. */
  reset: boolean;
  lies: Lie | null;
  /** Replaces scheme and host in reconnect links. */
  linkStart: string | null;
  /** The address of the remote assistant. Null: one of the node. */
  assistanceUrl: string | null;
  /** Answers to actions on one object. */
  terse: Terse | null;
  /** Faults of the lists, on every path. */
  cursors: CursorLie | null;
  /** Changes the rows of lists before they are sent. */
  alter: ((list: ListName, row: Row) => unknown) | null;
  /** Result of the health check; it does not affect other calls. */
  health: 'pass' | 'fail';
  /** The node's clock is ahead by this, or behind. */
  clockSkewS: number;
  /** Names of users that get no session key. */
  unknownUsers: readonly string[];
  /** Lifetime of session keys issued from now on. */
  keyLifetimeS: number;
  /** Whether lists support `since`, and send an `ETag`. */
  incremental: boolean;
  etags: boolean;
};

export const noFaults = (): Knobs => ({
  path: null,
  latencyMs: 0,
  failing: null,
  hang: null,
  dripping: false,
  reset: false,
  lies: null,
  linkStart: null,
  assistanceUrl: null,
  terse: null,
  cursors: null,
  alter: null,
  health: 'pass',
  clockSkewS: 0,
  unknownUsers: [],
  keyLifetimeS: 600,
  incremental: true,
  etags: true,
});

/** True when a fault applies to this path; called for each request, and therefore fast. */
export const isFaulty = ({ path, failing, hang, dripping, reset, lies }: Knobs, url: string): boolean =>
  (reset || dripping || failing !== null || hang !== null || lies !== null) && isInScope(path, url);

export const isInScope = (path: string | null, url: string): boolean => path === null || url.startsWith(path);

/** Answers as configured; without a fault it does nothing. */
export function stageFault(knobs: Knobs, incoming: IncomingMessage, outgoing: ServerResponse): void {
  // A client that gets an early response while it sends a body must be able to reuse the connection.
  incoming.resume();
  if (knobs.reset) outgoing.socket?.destroy();
  else if (knobs.hang !== null) hang(outgoing, knobs.hang);
  else if (knobs.dripping) drip(outgoing);
  else if (knobs.failing !== null)
    answer(outgoing, knobs.failing, '{"code":"failing","detail":"A staged failure"}');
  else if (knobs.lies !== null) lies[knobs.lies](outgoing);
}

function hang(outgoing: ServerResponse, where: 'headers' | 'body'): void {
  if (where === 'headers') return;
  outgoing.writeHead(200, { ...json, 'content-length': 4_096 });
  outgoing.write('{"items":[');
}

function drip(outgoing: ServerResponse): void {
  outgoing.writeHead(200, json);
  const bytes = '{"items":[';
  let sent = 0;
  const next = () => {
    outgoing.write(bytes[sent] ?? ' ');
    sent += 1;
  };
  next();
  const timer = setInterval(next, 1_000);
  outgoing.once('close', () => clearInterval(timer));
}

const json = { 'content-type': 'application/json' };

function answer(
  outgoing: ServerResponse,
  status: number,
  body: string,
  headers: Record<string, string> = json,
): void {
  outgoing.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
  outgoing.end(body);
}

const gigabyte = 1_073_741_824;

const lies: Record<Lie, (outgoing: ServerResponse) => void> = {
  html: (outgoing) =>
    answer(outgoing, 200, '<!doctype html><title>Welcome</title><h1>It works!</h1>', {
      'content-type': 'text/html',
    }),
  half_json: (outgoing) => answer(outgoing, 200, '{"result":"ok","items":[{"uuid":"0f3c'),
  other_schema: (outgoing) => answer(outgoing, 200, '{"schema":99,"data":{"rows":[{"identifier":1}]}}'),
  huge: (outgoing) => {
    outgoing.writeHead(200, json);
    pour(outgoing, Buffer.alloc(65_536, 'x'), gigabyte, '{"items":["');
  },
  gzip_bomb: (outgoing) => {
    outgoing.writeHead(200, { ...json, 'content-encoding': 'gzip' });
    pour(outgoing, bombMember(), (gigabyte / bombMemberBytes) * bombMember().length);
  },
  redirect: (outgoing) =>
    answer(outgoing, 302, '', { location: 'https://169.254.169.254/latest/meta-data/' }),
};

/** Sends a chunk repeatedly, no faster than the client reads it, until the number of bytes is reached. */
function pour(outgoing: ServerResponse, piece: Buffer, total: number, opening = ''): void {
  let left = total;
  outgoing.write(opening);
  const more = () => {
    while (left > 0 && !outgoing.destroyed) {
      left -= piece.length;
      if (!outgoing.write(piece)) return;
    }
    outgoing.end();
  };
  outgoing.on('drain', more);
  more();
}

const bombMemberBytes = 16_777_216;
let member: Buffer | undefined;

/** RFC 1952 section 2.2: a gzip stream may have several members; one is compressed once and sent repeatedly. */
function bombMember(): Buffer {
  member ??= gzipSync(Buffer.alloc(bombMemberBytes, ' '));
  return member;
}
