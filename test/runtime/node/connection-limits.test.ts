import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type RunningServer, type ServeOptions, serveNode } from '../../../shared/runtime/node/server.ts';
import { ensureLocalTls } from '../../../shared/tooling/start/tls/local-tls.ts';
import { type Client, connectSilent, descriptorsOf } from '../../support/processes/server-process.ts';

const opened: Socket[] = [];
let serving: RunningServer | undefined;
/** Requests for `/held` wait until it is called. */
let release: () => void;
let inFlight: () => number;

async function start(options: Partial<ServeOptions>): Promise<number> {
  const held = Promise.withResolvers<void>();
  release = held.resolve;
  let requests = 0;
  inFlight = () => requests;
  serving = await serveNode({
    fetch: async ({ url }) => {
      requests += 1;
      if (url.endsWith('/held')) await held.promise;
      return new Response('served');
    },
    host: '127.0.0.1',
    port: 0,
    trustProxy: 0,
    log: { error: console.error },
    ...options,
  });
  return serving.port;
}

afterEach(async () => {
  release();
  for (const socket of opened.splice(0)) socket.destroy();
  await serving?.close(0);
});

async function silent(port: number, count: number, from?: string): Promise<Client[]> {
  const clients = await connectSilent(port, count, from);
  opened.push(...clients.map(({ socket }) => socket));
  return clients;
}

/** Sends a request. @returns the received text once it contains the expected one, or at the end of the connection */
async function ask(port: number, path = '/', from = '127.0.0.1', until = 'served'): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, localAddress: from });
  opened.push(socket);
  socket.on('error', () => undefined);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
  let text = '';
  const found = new Promise<void>((resolve) =>
    socket.on('data', (chunk) => {
      text += chunk;
      if (text.includes(until)) resolve();
    }),
  );
  await Promise.race([found, closeOf(socket)]);
  return text;
}

const closeOf = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve));

const isOpen = ({ socket }: Client): boolean => !socket.closed;

describe('the connection limit of an address', () => {
  it('closes its connection with the longest idle time, and none of another address', async () => {
    const port = await start({ maxConnectionsPerAddress: 10 });
    const others = await silent(port, 10, '127.0.0.2');
    const own = await silent(port, 10);
    const later = await silent(port, 4);
    await Promise.all(own.slice(0, 4).map(({ closed }) => closed));
    expect([...own.slice(4), ...later, ...others].every(isOpen)).toBe(true);
    expect(await ask(port)).toContain('served');
    expect(await ask(port, '/', '127.0.0.3')).toContain('served');
  });

  it('does not exist behind a proxy, where all clients have the same address', async () => {
    const port = await start({ maxConnectionsPerAddress: 2, trustProxy: 1 });
    const clients = await silent(port, 20);
    expect(await ask(port)).toContain('served');
    expect(clients.every(isOpen)).toBe(true);
  });
});

describe('the connection limit of the server', () => {
  it('protects busy clients and other addresses from an address with many idle connections', async () => {
    const port = await start({ maxConnections: 12 });
    const busy = ask(port, '/held', '127.0.0.2');
    const [idle] = await silent(port, 1, '127.0.0.2');
    const many = await silent(port, 60);
    await Promise.all(many.slice(0, 50).map(({ closed }) => closed));
    expect(idle && isOpen(idle)).toBe(true);
    expect(await ask(port, '/', '127.0.0.3')).toContain('served');
    release();
    expect(await busy).toContain('served');
  });

  it('refuses a new connection when every other one has a running request', async () => {
    const port = await start({ maxConnections: 3 });
    const busy = ['1', '2', '3'].map((n) => ask(port, '/held', `127.0.0.${n}`));
    await expect.poll(inFlight).toBe(3);
    expect(await ask(port)).toBe('');
    release();
    expect(await Promise.all(busy)).toEqual(busy.map(() => expect.stringContaining('served')));
    expect(await ask(port)).toContain('served');
  });

  it('counts a request as idle until its headers are complete, and after its answer', async () => {
    const port = await start({ maxConnections: 2 });
    const [slow] = await silent(port, 1);
    slow?.socket.write('GET / HTTP/1.1\r\nHost:');
    expect(await ask(port)).toContain('served');
    const [answered] = opened.slice(-1);
    await silent(port, 2);
    await Promise.all([slow?.closed, answered && !answered.closed && closeOf(answered)]);
  });

  it('counts a TLS handshake as idle', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'limits-'));
    const { certPem, keyPem } = await ensureLocalTls(folder, []);
    rmSync(folder, { recursive: true, force: true });
    const port = await start({ maxConnections: 5, tls: { cert: certPem, key: keyPem } });
    const clients = await silent(port, 12);
    await Promise.all(clients.slice(0, 7).map(({ closed }) => closed));
    expect(clients.slice(7).every(isOpen)).toBe(true);
  });
});

describe('a stop of the server', () => {
  it('does not wait for thousands of connections without a request', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'limits-'));
    const { certPem, keyPem } = await ensureLocalTls(folder, []);
    rmSync(folder, { recursive: true, force: true });
    const timeouts = { handshake: 60_000 };
    const port = await start({
      tls: { cert: certPem, key: keyPem },
      maxConnectionsPerAddress: 3_000,
      timeouts,
    });
    const before = descriptorsOf(process.pid);
    const clients = await silent(port, 2_000);
    // Both ends are in this process. A client is connected before the server has accepted it.
    await expect
      .poll(() => descriptorsOf(process.pid), { timeout: 15_000 })
      .toBeGreaterThanOrEqual(before + 4_000);
    const hour = 3_600_000;
    await serving?.close(hour);
    await Promise.all(clients.map(({ closed }) => closed));
  });
});
