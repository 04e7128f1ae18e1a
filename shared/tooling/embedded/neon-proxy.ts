import { Buffer } from 'node:buffer';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { createWebSocketStream, type WebSocket, WebSocketServer } from 'ws';
import { z } from 'zod';
import { type Backend, cancelStatement } from '../../../db/postgres/cancel.ts';
import { createReader, isOpening, messageOf, typeOf } from './protocol/messages.ts';

export type NeonProxy = {
  /** `http://127.0.0.1:<port>` */
  url: string;
  close(): Promise<void>;
};

/**
 * A proxy for Neon's two protocols in front of any PostgreSQL: statements over HTTP, sessions over WebSocket. For
 * local use only: every client is connected as the user of `databaseUrl`, independent of its login and address.
 * @throws Error if the port is in use
 */
export async function startNeonProxy({
  databaseUrl,
  port = 0,
}: {
  databaseUrl: string;
  port?: number;
}): Promise<NeonProxy> {
  const connection = { connectionString: databaseUrl, connectionTimeoutMillis: 3_000 };
  const pool = new pg.Pool({ ...connection, max: 20 });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const server = createServer(async (request, response) => {
    const givenUp = new AbortController();
    response.on('close', () => response.writableFinished || givenUp.abort());
    const { status, body } = await answerTo(pool, request, givenUp.signal).catch(failureAnswer);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const sessions = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => undefined);
    if (!isFromHere(request) || request.url !== '/v2') return refuse(socket, '403 Forbidden');
    const accept = (far: Duplex) => sessions.handleUpgrade(request, socket, head, (near) => join(near, far));
    openSession(connection).then(accept, () => refuse(socket, '502 Bad Gateway'));
  });
  const url = `http://127.0.0.1:${await listen(server, port)}`;
  const close = async (): Promise<void> => {
    for (const session of sessions.clients) session.terminate();
    server.closeAllConnections();
    await Promise.all([new Promise((done) => server.close(done)), pool.end()]);
  };
  return { url, close };
}

/** Rejects requests of web pages: by the Origin header, and by host names other than the local ones. */
const isFromHere = ({ headers }: IncomingMessage): boolean =>
  headers.origin === undefined && /^(?:localhost|127\.0\.0\.1)(?::\d+)?$/.test(headers.host ?? '');

const refuse = (socket: Duplex, status: string): void =>
  void socket.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

type Answer = { status: number; body: unknown };

const Query = z.object({ query: z.string(), params: z.array(z.unknown()).default([]) });
const Body = z.union([z.object({ queries: z.array(Query) }), Query]);

async function answerTo(pool: pg.Pool, request: IncomingMessage, givenUp: AbortSignal): Promise<Answer> {
  const { method, url, headers } = request;
  if (method !== 'POST' || url !== '/sql' || !isFromHere(request))
    return errorAnswer(404, 'no such endpoint');
  if (!headers['neon-connection-string']) return errorAnswer(400, 'missing header Neon-Connection-String');
  const parsed = Body.safeParse(JSON.parse(await text(request)));
  if (!parsed.data) return errorAnswer(400, 'neither a query nor queries');
  return { status: 200, body: await run(pool, parsed.data, headers, givenUp) };
}

const errorAnswer = (status: number, message: string): Answer => ({ status, body: { message } });

const errorFields = [
  ...['message', 'severity', 'code', 'detail', 'hint', 'position', 'internalPosition', 'internalQuery'],
  ...['where', 'schema', 'table', 'column', 'dataType', 'constraint', 'file', 'line', 'routine'],
];

/** PostgreSQL errors result in 400, as with Neon; other errors in 502. */
function failureAnswer(error: unknown): Answer {
  if (error instanceof SyntaxError) return errorAnswer(400, 'no JSON');
  if (!(error instanceof pg.DatabaseError)) return errorAnswer(502, String(error));
  const fields = errorFields.map((name) => [name, Reflect.get(error, name) ?? null]);
  return { status: 400, body: Object.fromEntries(fields) };
}

type Format = { rowMode?: 'array'; types?: { getTypeParser: () => (value: string) => string } };

async function run(
  pool: pg.Pool,
  body: z.infer<typeof Body>,
  headers: IncomingHttpHeaders,
  givenUp: AbortSignal,
): Promise<unknown> {
  const format: Format = {
    ...(headers['neon-array-mode'] === 'true' && { rowMode: 'array' }),
    ...(headers['neon-raw-text-output'] === 'true' && { types: { getTypeParser: () => (value) => value } }),
  };
  const client = (await pool.connect()) as pg.PoolClient & Backend;
  // As with Neon, the statement of an aborted request is cancelled.
  const cancel = () => void cancelStatement(client);
  try {
    givenUp.throwIfAborted();
    givenUp.addEventListener('abort', cancel);
    const answer =
      'queries' in body ? runBatch(client, body.queries, headers, format) : runOne(client, body, format);
    const result = await answer;
    client.release(givenUp.aborted);
    return result;
  } catch (error) {
    // After an error that is not from PostgreSQL the state of the connection is unknown.
    client.release(givenUp.aborted || !(error instanceof pg.DatabaseError));
    throw error;
  } finally {
    givenUp.removeEventListener('abort', cancel);
  }
}

const isolationLevels: Record<string, string> = {
  ReadUncommitted: 'read uncommitted',
  ReadCommitted: 'read committed',
  RepeatableRead: 'repeatable read',
  Serializable: 'serializable',
};

async function runBatch(
  client: pg.PoolClient,
  queries: z.infer<typeof Query>[],
  headers: IncomingHttpHeaders,
  format: Format,
): Promise<unknown> {
  const level = isolationLevels[String(headers['neon-batch-isolation-level'])];
  const modes = [
    ...(level ? [`isolation level ${level}`] : []),
    ...(headers['neon-batch-read-only'] === 'true' ? ['read only'] : []),
    ...(headers['neon-batch-deferrable'] === 'true' ? ['deferrable'] : []),
  ];
  await client.query(`begin ${modes.join(', ')}`);
  try {
    const results: unknown[] = [];
    for (const query of queries) results.push(await runOne(client, query, format));
    await client.query('commit');
    return { results };
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}

async function runOne(
  client: pg.PoolClient,
  { query, params }: z.infer<typeof Query>,
  format: Format,
): Promise<unknown> {
  const { command, rowCount, rows, fields } = await client.query({ text: query, values: params, ...format });
  return { command, rowCount, rows, fields, rowAsArray: format.rowMode === 'array' };
}

/** Returns the socket of a logged-in, idle session. */
async function openSession(config: pg.ClientConfig): Promise<Duplex> {
  const client = new pg.Client(config);
  client.on('error', () => undefined);
  await client.connect();
  const { stream } = client.connection;
  stream.removeAllListeners('data');
  return stream;
}

/**
 * Neon requests a clear-text password, which drivers send unasked. It is ignored here, because the session is
 * authenticated.
 */
const welcome = Buffer.concat([messageOf('R', Buffer.alloc(4)), messageOf('Z', 'I')]);

/** Relays messages in both directions after the greeting, which is answered here. */
function join(websocket: WebSocket, far: Duplex): void {
  const near = createWebSocketStream(websocket);
  const read = createReader();
  const end = () => {
    near.destroy();
    far.destroy();
  };
  const hear = (chunk: Buffer): void => {
    for (const message of read(chunk)) {
      if (isOpening(message)) {
        if (message.kind === 'start') near.write(welcome);
        else end();
      } else if (typeOf(message) !== 'p') far.write(message);
    }
  };
  near.on('data', (chunk: Buffer) => {
    try {
      hear(chunk);
    } catch {
      end();
    }
  });
  for (const side of [near, far]) side.on('error', end).once('close', end);
  far.pipe(near);
}
