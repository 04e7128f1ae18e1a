import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ensureLocalTls, type LocalTls } from '../../../shared/tooling/start/tls/local-tls.ts';
import {
  type Client,
  connectSilent,
  type ServerProcess,
  type ServerSettings,
  startServer,
} from '../../support/processes/server-process.ts';

let folder: string;
let tls: LocalTls;
let server: ServerProcess | undefined;
const sockets: Socket[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sockets-'));
  tls = await ensureLocalTls(folder, []);
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server?.stop();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Short ones, so that no test waits for the timeouts of production. */
const timeouts = { handshake: 300, headers: 600, request: 1_000, keepAlive: 600, stalled: 600 };

async function start(settings: ServerSettings = {}, descriptorLimit?: number): Promise<ServerProcess> {
  server = await startServer(settings, descriptorLimit);
  return server;
}

const secured = (): ServerSettings => ({ timeouts, tls: { cert: tls.certPem, key: tls.keyPem } });

const keep = (clients: Client[]): Client[] => {
  sockets.push(...clients.map(({ socket }) => socket));
  return clients;
};

/** Waits until the server has closed them all; the clients close nothing. */
const allClosed = (clients: readonly Client[]) => Promise.all(clients.map(({ closed }) => closed));

/** One request on a separate connection. */
async function ask(port: number, localAddress = '127.0.0.1'): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, localAddress });
  sockets.push(socket);
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  socket.on('error', () => undefined);
  socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  await once(socket, 'close');
  return text;
}

const backTo = ({ descriptors }: ServerProcess, baseline: number) =>
  expect.poll(descriptors, { timeout: 15_000 }).toBeLessThanOrEqual(baseline);

describe('descriptors of the Node server', () => {
  it('of 1,000 silent clients are released after the handshake timeout', async () => {
    const process = await start(secured());
    const baseline = process.descriptors();
    const clients = keep(await connectSilent(process.port, 1_000));
    await allClosed(clients);
    await backTo(process, baseline);
  }, 60_000);

  it('of 1,000 silent clients are released without TLS', async () => {
    const process = await start({ timeouts });
    const baseline = process.descriptors();
    const connecting = connectSilent(process.port, 1_000);
    // The first ones may be released before the last ones are connected.
    await expect.poll(process.descriptors, { interval: 5 }).toBeGreaterThan(baseline);
    const clients = keep(await connecting);
    await allClosed(clients);
    await backTo(process, baseline);
  }, 60_000);

  it('of clients that complete the handshake and stay silent are released', async () => {
    const process = await start(secured());
    const baseline = process.descriptors();
    const clients = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const socket = connectTls({ host: '127.0.0.1', port: process.port, rejectUnauthorized: false });
        socket.on('error', () => undefined);
        const closed = once(socket, 'close').then(() => undefined);
        await once(socket, 'secureConnect');
        socket.resume();
        return { socket, closed };
      }),
    );
    await allClosed(keep(clients));
    await backTo(process, baseline);
  }, 60_000);

  it.each([
    ['before', ''],
    ['within', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['instead of', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'],
  ])(
    'of clients that half-close %s the handshake are released',
    async (_, start_) => {
      const process = await start(secured());
      const baseline = process.descriptors();
      const clients = keep(await connectSilent(process.port, 100));
      for (const { socket } of clients) socket.end(start_, 'latin1');
      await allClosed(clients);
      await backTo(process, baseline);
    },
    60_000,
  );

  it.each([
    ['nothing', ''],
    ['half a request', 'GET / HTTP/1.1\r\nHo'],
    ['a request without its body', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n'],
    ['what is not HTTP', 'not HTTP\r\n\r\n'],
  ])(
    'of clients that send %s and half-close are released',
    async (_, text) => {
      const process = await start({ timeouts });
      const baseline = process.descriptors();
      const clients = keep(await connectSilent(process.port, 100));
      for (const { socket } of clients) socket.end(text);
      await allClosed(clients);
      await backTo(process, baseline);
    },
    60_000,
  );

  it.each([
    ['responds', 'GET /large HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(20)],
    ['refusals', `${'GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(20)}not HTTP\r\n\r\n`],
  ])(
    'of clients that do not read their %s are released',
    async (_, text) => {
      const process = await start({ timeouts });
      const baseline = process.descriptors();
      const clients = keep(await connectSilent(process.port, 50));
      for (const { socket } of clients) socket.pause().write(text);
      await expect.poll(() => process.descriptors(), { timeout: 15_000 }).toBeLessThanOrEqual(baseline);
    },
    60_000,
  );

  it('stay available with `ulimit -n 320` while 1,000 clients are silent', async () => {
    const process = await start({}, 320);
    const clients = keep(await connectSilent(process.port, 1_000));
    for (let n = 0; n < 20; n++) expect(await ask(process.port, '127.0.0.2')).toContain('200 OK');
    // 90 % for connections, the rest for the database and files.
    await expect.poll(process.descriptors).toBeLessThanOrEqual(290);
    // The newest ones are kept while there is space.
    expect(clients.at(-1)?.socket.closed).toBe(false);
  }, 60_000);
});

describe('9,000 idle connections', () => {
  it('do not slow down requests noticeably', async () => {
    const process = await start();
    const medianMs = async (): Promise<number> => {
      const times: number[] = [];
      for (let n = 0; n < 41; n++) {
        const started = performance.now();
        expect(await ask(process.port, '127.0.0.99')).toContain('200 OK');
        times.push(performance.now() - started);
      }
      return times.toSorted((a, b) => a - b)[20] ?? 0;
    };
    await medianMs();
    const alone = await medianMs();
    for (let address = 1; address <= 9; address++)
      keep(await connectSilent(process.port, 1_000, `127.0.0.${address}`));
    await expect.poll(() => process.descriptors(), { timeout: 15_000 }).toBeGreaterThan(9_000);
    // A scan of all connections for each request would take longer than this on any machine.
    expect(await medianMs()).toBeLessThan(alone * 5 + 10);
    expect(sockets.filter(({ closed }) => !closed).length).toBeGreaterThanOrEqual(9_000);
  }, 60_000);
});
