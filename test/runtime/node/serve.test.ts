import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isLoopbackHost } from '../../../shared/runtime/config/values.ts';
import type { Invocation } from '../../../shared/runtime/invocation.ts';
import { type RunningServer, type ServeOptions, serveNode } from '../../../shared/runtime/node/server.ts';
import { ensureLocalTls, type LocalTls } from '../../../shared/tooling/start/tls/local-tls.ts';
import { expectProblem } from '../../contract/support/problems.ts';
import type { Answer } from '../../support/portal.ts';

const closeAfter: (() => unknown)[] = [];
const told: string[] = [];
const log = { error: (message: string) => void told.push(message) };

async function start(options: Partial<ServeOptions> = {}): Promise<RunningServer> {
  const fetch = (_: Request, { client }: Invocation) => Response.json(client);
  const serving = await serveNode({ fetch, host: '127.0.0.1', port: 0, trustProxy: 0, log, ...options });
  closeAfter.push(() => serving.close(0));
  return serving;
}

const get = async (port: number, headers: Record<string, string> = {}) =>
  (await fetch(`http://127.0.0.1:${port}/`, { headers })).json();

/** Everything that a socket receives until its end. */
async function received(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  socket.on('error', () => undefined);
  await once(socket, 'close');
  return text;
}

/** A response received over a socket. */
function answerIn(text: string): Answer {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const [line = '', ...fields] = head.split('\r\n');
  const headers = new Headers(
    fields.map((field): [string, string] => [field.replace(/:.*/, ''), field.replace(/^[^:]*: */, '')]),
  );
  return { status: Number(line.split(' ')[1]), headers, body: JSON.parse(body) };
}

afterEach(async () => {
  for (const close of closeAfter.splice(0)) await close();
});

describe('the end of the server', () => {
  const step = () => new Promise((resolve) => setTimeout(resolve, 50));

  /** A request that is answered when `answers` resolves, and a server that is asked to end meanwhile. */
  async function endDuring(fetch: ServeOptions['fetch'], events: string[]) {
    const began = Promise.withResolvers<void>();
    const serving = await start({
      fetch: (...given) => {
        began.resolve();
        return fetch(...given);
      },
    });
    const answer = globalThis.fetch(`http://127.0.0.1:${serving.port}/`).then((response) => response.text());
    await began.promise;
    return { answer, closed: serving.close(20_000).then(() => void events.push('closed')) };
  }

  it('waits for a request that is being answered', async () => {
    const [answers, events] = [Promise.withResolvers<void>(), [] as string[]];
    const { answer, closed } = await endDuring(async () => {
      await answers.promise;
      return new Response('done');
    }, events);
    await step();
    expect(events).toEqual([]);
    answers.resolve();
    expect(await answer).toBe('done');
    await closed;
  });

  it('waits for the work that an answered request has left', async () => {
    const [leaves, events] = [Promise.withResolvers<void>(), [] as string[]];
    const { answer, closed } = await endDuring((_, { background }) => {
      background(leaves.promise.then(() => void events.push('work')));
      return new Response('done');
    }, events);
    expect(await answer).toBe('done');
    await step();
    expect(events).toEqual([]);
    leaves.resolve();
    await closed;
    expect(events).toEqual(['work', 'closed']);
  });
});

describe('the client address of a request', () => {
  it('is the peer of the socket, whatever the headers contain', async () => {
    const { port } = await start();
    const forged = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' };
    expect(await get(port, forged)).toEqual({ ip: '127.0.0.1', secure: false, loopback: true });
  });

  it('is IPv4 when it is IPv4-mapped IPv6', async () => {
    const { port } = await start({ host: '::ffff:127.0.0.1' });
    expect(await get(port)).toMatchObject({ ip: '127.0.0.1', loopback: true });
  });

  it.each([
    [1, '198.51.100.7, 203.0.113.9', '203.0.113.9'],
    [2, '198.51.100.7, 203.0.113.9', '198.51.100.7'],
    [2, '203.0.113.9', '127.0.0.1'],
    [1, 'unknown', '127.0.0.1'],
    [1, '[2001:DB8::1]:443', '2001:db8::1'],
    [1, '203.0.113.9:4711', '203.0.113.9'],
    [1, '::ffff:203.0.113.9', '203.0.113.9'],
  ])('behind %i proxies with X-Forwarded-For %s is %s', async (trustProxy, forwarded, ip) => {
    const { port } = await start({ trustProxy });
    const headers = { 'x-forwarded-for': forwarded, 'x-forwarded-proto': 'https' };
    expect(await get(port, headers)).toEqual({ ip, secure: true, loopback: isLoopbackHost(ip) });
  });
});

describe('HTTPS on the Node server', () => {
  let tls: LocalTls;
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'serve-'));
    tls = await ensureLocalTls(folder, []);
    const ca = readFileSync(tls.caFile, 'utf8');
    tls = { ...tls, caFile: ca };
    rmSync(folder, { recursive: true, force: true });
  });
  const secured = () => start({ tls: { cert: tls.certPem, key: tls.keyPem } });

  it('marks a request as secure', async () => {
    const { port } = await secured();
    const socket = connectTls({ host: '127.0.0.1', port, ca: tls.caFile, servername: 'localhost' });
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    expect(await received(socket)).toContain('"secure":true');
  });

  it('is refused below TLS 1.2 and in plain text', async () => {
    const { port } = await secured();
    const old = connectTls({
      port,
      host: '127.0.0.1',
      maxVersion: 'TLSv1.1',
      minVersion: 'TLSv1',
      rejectUnauthorized: false,
    });
    await expect(once(old, 'secureConnect')).rejects.toThrow();
    const plain = connect(port, '127.0.0.1');
    plain.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect(await received(plain)).not.toContain('HTTP/1.1 200');
  });

  it('closes connections that hang in a handshake at shutdown', async () => {
    const serving = await secured();
    const silent = connect(serving.port, '127.0.0.1');
    await once(silent, 'connect');
    const ended = received(silent);
    await serving.close(60_000);
    expect(await ended).toBe('');
  });
});

describe('malformed requests', () => {
  const send = async (text: string): Promise<Answer> => {
    const { port } = await start();
    const socket = connect(port, '127.0.0.1');
    socket.write(text);
    return answerIn(await received(socket));
  };

  it.each([
    ['headers_too_large', `GET / HTTP/1.1\r\nHost: a\r\nX-Large: ${'x'.repeat(17_000)}\r\n\r\n`],
    ['malformed_request', 'this is no HTTP\r\n\r\n'],
    ['malformed_request', 'GET / HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n'],
    ['malformed_request', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['malformed_request', 'GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\nConnection: close\r\n\r\n'],
    ['malformed_request', 'GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n'],
  ] as const)('are answered as %s, with a problem document', async (code, text) => {
    const answer = await send(text);
    expectProblem(answer, code);
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('with an unsupported expectation get 417, also those with a body', async () => {
    const head =
      'POST / HTTP/1.1\r\nHost: a\r\nX-Request-Id: mine\r\nExpect: foo\r\nContent-Length: 2\r\n\r\n';
    const answer = await send(`${head}{}`);
    expectProblem(answer, 'expectation_failed');
    expect([answer.status, answer.body.instance]).toEqual([417, 'mine']);
  });

  it('keep their request id', async () => {
    const { body } = await send('GET / HTTP/1.1\r\nX-Request-Id: mine\r\nConnection: close\r\n\r\n');
    expect(body.instance).toBe('mine');
  });

  it('do not include HTTP/1.0 without a Host header, which old monitors send', async () =>
    expect((await send('GET / HTTP/1.0\r\n\r\n')).status).toBe(200));

  it('do not expose exceptions of the application', async () => {
    const { port } = await start({ fetch: () => Promise.reject(new Error('secret detail')) });
    const answer = await fetch(`http://127.0.0.1:${port}/`);
    expect([answer.status, await answer.text()]).toEqual([500, expect.not.stringContaining('secret')]);
    expect(told).toContain('a request failed outside the application');
  });
});

describe('closing the Node server', () => {
  it('finishes running requests and their background work, and accepts no new ones', async () => {
    const release = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const done: string[] = [];
    const serving = await start({
      fetch: async (_, { background }) => {
        background(release.promise.then(() => done.push('background')));
        background(Promise.reject(new Error('lost')));
        begun.resolve();
        await release.promise;
        return new Response('finished');
      },
    });
    const idle = connect(serving.port, '127.0.0.1');
    const idleEnded = received(idle);
    const answer = fetch(`http://127.0.0.1:${serving.port}/`);
    await begun.promise;
    const closed = serving.close(10_000).then(() => done.push('closed'));
    await idleEnded;
    await expect(fetch(`http://127.0.0.1:${serving.port}/`)).rejects.toThrow();
    release.resolve();
    expect(await (await answer).text()).toBe('finished');
    await closed;
    expect(done).toEqual(['background', 'closed']);
    expect(told).toContain('background work failed');
  });

  it('aborts hanging requests after the grace period', async () => {
    const begun = Promise.withResolvers<void>();
    const serving = await start({
      fetch: () => {
        begun.resolve();
        return new Promise<Response>(() => undefined);
      },
    });
    const answer = fetch(`http://127.0.0.1:${serving.port}/`);
    const cut = expect(answer).rejects.toThrow();
    await begun.promise;
    const before = performance.now();
    await serving.close(200);
    expect(performance.now() - before).toBeLessThan(2_000);
    await cut;
  });
});

describe('listening on a port', () => {
  it('reports in one line that the port is in use, with its variable', async () => {
    const { port } = await start();
    await expect(start({ port })).rejects.toThrow(
      `PORT: 127.0.0.1:${port} is in use by another program; stop it, or set another port`,
    );
    await expect(start({ port, portVariable: 'HEALTH_PORT' })).rejects.toThrow(/^HEALTH_PORT: /);
  });
});

describe('the shutdown', () => {
  const module = new URL('../../../shared/runtime/node/shutdown.ts', import.meta.url).href;
  const startProcess = async (steps: string) => {
    const script = `const { createShutdown } = await import('${module}');
      const log = { info() {}, error: (m, f) => console.log('failed', f.step) };
      const { add, signal } = createShutdown({ log });
      ${steps}
      setInterval(() => {}, 1e6); console.log('up');`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script]);
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    await once(child.stdout, 'data');
    return {
      child,
      ended: once(child, 'close').then(([code]) => ({ code, lines: output.trim().split('\n') })),
    };
  };

  it.each([
    'SIGTERM',
    'SIGINT',
    'SIGHUP',
  ] as const)('runs every step on %s in reverse order, and ends with 0, also when one fails', async (signal) => {
    const { child, ended } = await startProcess(
      `add('c', () => console.log('c'));
         add('b', () => { throw new Error('x'); });
         add('a', async () => { await null; console.log('a'); });`,
    );
    child.kill(signal);
    expect(await ended).toEqual({ code: 0, lines: ['up', 'a', 'failed b', 'c'] });
  });

  it('stops at once what is started after the signal', async () => {
    const { child, ended } = await startProcess(
      `signal.addEventListener('abort', () => add('late', () => console.log('late')));
       add('early', () => new Promise((resolve) => setImmediate(() => resolve(console.log('early')))));`,
    );
    child.kill('SIGTERM');
    expect(await ended).toEqual({ code: 0, lines: ['up', 'late', 'early'] });
  });

  it('ends with 1 at a second signal, but ignores the duplicate of the first one', async () => {
    const { child, ended } = await startProcess(
      `add('hang', () => new Promise(() => setTimeout(() => console.log('late'), 1_100)));`,
    );
    child.kill('SIGINT');
    child.kill('SIGTERM');
    await once(child.stdout, 'data');
    child.kill('SIGINT');
    expect(await ended).toEqual({ code: 1, lines: ['up', 'late'] });
  });
});
