import type { LookupAddress } from 'node:dns';
import type { RequestListener, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { AppError } from '../../../shared/kernel/errors.ts';
import { createDispatchers } from '../../../shared/remotes/dispatcher/kinds.ts';
import type { Call, Node } from '../../../shared/remotes/dispatcher/port.ts';
import { checkUrl } from '../../../shared/remotes/http/address-policy.ts';
import {
  createNodeTransport,
  type NodeTransport,
  type NodeTransportOptions,
} from '../../../shared/remotes/http/node.ts';
import { noLogins } from '../../support/fleet/no-logins.ts';
import { signingKeysOf } from '../../support/identity/signing-keys.ts';
import {
  type Authority,
  createAuthority,
  type Identity,
  type Peer,
  selfSigned,
  serveHttps,
  serveTcp,
} from './dispatcher-peers.ts';

const deadlineMs = 400;
const uuid = '0191d6a0-7c1e-7000-8000-000000000001';
const domains = [{ authUuid: uuid, authSmallName: 'corp', auth: 'Corporate', unknown: { member: 1 } }];

const signer = await signingKeysOf();
let authority: Authority;
let good: Identity;
const opened: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  authority = await createAuthority('Node CA');
  good = await authority.issue();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
});

const keep = <T extends { close(): Promise<void> }>(one: T): T => {
  opened.push(one);
  return one;
};
const transportTo = (options: Partial<NodeTransportOptions> = {}): NodeTransport =>
  keep(createNodeTransport({ allowedNetworks: ['127.0.0.0/8'], allowInsecure: false, ...options }));
const remoteTo = (options: Partial<NodeTransportOptions> = {}) =>
  createDispatchers({ transport: transportTo(options), signer, logins: noLogins });
const peerOf = async (listener: RequestListener, identity = good): Promise<Peer> =>
  keep(await serveHttps(identity, listener));
const silent = async (): Promise<Peer> => keep(await serveTcp(() => undefined));
const callTo = (url: string, node: Partial<Node> = {}): Call => ({
  node: {
    ...{ id: uuid, kind: 'dispatcher', name: 'north-1', url, caCertificate: authority.ca },
    ...{ verifyTls: true, timeoutMs: 5000, ...node },
  },
  key: 'session-key',
  trace: { requestId: 'request-1', traceparent: '00-aa-bb-01' },
  deadlineMs,
});
const json = (response: ServerResponse, body: unknown, status = 200) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

/** The code and members of the AppError that a call ends with. */
async function failureOf(call: Promise<unknown>): Promise<Record<string, unknown>> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof AppError)) throw new Error('no AppError', { cause: error });
  return { code: error.code, ...error.members };
}
const failed = (code: string, reason?: string) => ({
  code,
  ...(reason && { reason }),
  dispatcher: 'north-1',
});

describe('addresses at call time', () => {
  test('plain HTTP and a user name in the URL are refused before any connection', async () => {
    const peer = await silent();
    for (const url of [`http://127.0.0.1:${peer.port}`, `https://user:pw@127.0.0.1:${peer.port}`]) {
      const failure = await failureOf(remoteTo().domains(callTo(url)));
      expect(failure).toEqual(failed('upstream_refused', 'address_not_allowed'));
    }
    expect(peer.connections()).toBe(0);
  });

  test.each([
    '127.0.0.1',
    'localhost',
    'localhost.',
    '2130706433',
    '0x7f.1',
    '[::ffff:127.0.0.1]',
    '[::1]',
  ])('%s is refused when no network allows it', async (host) => {
    const peer = await silent();
    const call = callTo(`https://${host}:${peer.port}`);
    const failure = await failureOf(remoteTo({ allowedNetworks: ['10.0.0.0/8'] }).domains(call));
    expect(failure).toEqual(failed('upstream_refused', 'address_not_allowed'));
    expect(peer.connections()).toBe(0);
  });
});

describe('host names that change their address', () => {
  const rebinding = (addresses: LookupAddress[]): Partial<NodeTransportOptions> => ({
    lookup: (_name, _options, callback) => callback(null, addresses),
  });

  test('a name that was public when saved and is private at the call is refused', async () => {
    const peer = await silent();
    const url = `https://node.example:${peer.port}`;
    expect(checkUrl(url, 'node', { allowedNetworks: [] }).ok).toBe(true);
    const remote = remoteTo({ allowedNetworks: [], ...rebinding([{ address: '127.0.0.1', family: 4 }]) });
    expect(await failureOf(remote.domains(callTo(url)))).toEqual(
      failed('upstream_refused', 'address_not_allowed'),
    );
    expect(peer.connections()).toBe(0);
  });

  test('only the allowed ones of several addresses are connected to', async () => {
    const peer = await peerOf((_request, response) => json(response, domains));
    const addresses = ['::1', '10.0.0.1', '127.0.0.1'].map((address) => ({
      address,
      family: address === '::1' ? 6 : 4,
    }));
    const remote = remoteTo(rebinding(addresses));
    expect(await remote.domains(callTo(`https://node.example:${peer.port}`))).toHaveLength(1);
  });
});

describe('redirects of a node', () => {
  test.each([
    301, 302, 307, 308,
  ])('a %d is not followed and sends no credential to its target', async (status) => {
    const target = await peerOf((_request, response) => json(response, domains));
    const peer = await peerOf((_request, response) =>
      response.writeHead(status, { location: target.url }).end(),
    );
    expect(await failureOf(remoteTo().domains(callTo(peer.url)))).toEqual(
      failed('upstream_failed', 'redirect'),
    );
    expect(target.connections()).toBe(0);
  });
});

describe('limits of a response', () => {
  const manyHeaders = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`x-${index}`, 'a']));
  const endless: RequestListener = (_request, response) => {
    const chunk = Buffer.alloc(65_536, 32);
    const pour = (): void => {
      if (!response.destroyed) response.write(chunk, pour);
    };
    pour();
  };
  const cases: [string, RequestListener, string][] = [
    ['an endless body', endless, 'too_large'],
    [
      'a declared 1 GB',
      (_q, response) => response.writeHead(200, { 'content-length': 1e9 }).write('['),
      'too_large',
    ],
    ['200 headers', (_q, response) => response.writeHead(200, manyHeaders).end('[]'), 'too_large'],
    [
      '64 KiB of headers',
      (_q, response) => response.writeHead(200, { 'x-big': 'a'.repeat(65_536) }).end(),
      'too_large',
    ],
    [
      'a gzip bomb',
      (_q, response) =>
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(5_000_000, 32))),
      'malformed',
    ],
  ];

  test.each(cases)('%s ends the call', async (_name, listener, reason) => {
    const peer = await peerOf(listener);
    const call = { ...callTo(peer.url), deadlineMs: 5000 };
    expect(await failureOf(remoteTo().domains(call))).toEqual(failed('upstream_failed', reason));
  });

  test('identity encoding is requested and Set-Cookie is dropped', async () => {
    const peer = await peerOf((request, response) => {
      response.setHeader('set-cookie', ['a=1', 'b=2']);
      json(response, { encoding: request.headers['accept-encoding'], cookie: request.headers.cookie });
    });
    const request = {
      method: 'GET',
      url: peer.url,
      headers: {},
      deadlineMs,
      ca: authority.ca,
      verifyTls: true,
    } as const;
    const transport = transportTo();
    await transport.send(request);
    const { headers, text } = await transport.send(request);
    expect(Object.keys(headers)).not.toContain('set-cookie');
    expect(JSON.parse(text)).toEqual({ encoding: 'identity' });
  });
});

describe('certificates of a node', () => {
  const identities: [string, () => Promise<Identity>, string][] = [
    ['an expired one', () => authority.issue({ fromDay: -30, toDay: -1 }), 'expired'],
    ['one not valid yet', () => authority.issue({ fromDay: 1, toDay: 30 }), 'not_yet_valid'],
    ['one for another name', () => authority.issue({ names: ['other.example'] }), 'wrong_name'],
    ['a self-signed one', selfSigned, 'self_signed'],
    ['one of an unknown authority', async () => (await createAuthority('Stranger')).issue(), 'unknown_ca'],
  ];

  test.each(
    identities,
  )('%s is rejected with its reason, and shown by the inspection', async (_name, make, reason) => {
    let requests = 0;
    const peer = await peerOf(
      (_request, response) => {
        requests += 1;
        json(response, domains);
      },
      await make(),
    );
    const remote = remoteTo();
    for (const verifyTls of [true, false]) {
      const failure = await failureOf(remote.domains(callTo(peer.url, { verifyTls })));
      expect(failure).toEqual(failed('upstream_tls', reason));
    }
    expect(requests).toBe(0);
    const facts = await remote.certificate?.({ node: callTo(peer.url).node });
    expect(facts).toMatchObject({
      subject: expect.stringContaining('CN='),
      not_after: expect.stringMatching(/Z$/),
    });
  });

  test('verification is skipped only where the configuration allows it', async () => {
    const peer = await peerOf((_request, response) => json(response, domains), await selfSigned());
    const remote = remoteTo({ allowInsecure: true });
    expect(await remote.domains(callTo(peer.url, { verifyTls: false }))).toHaveLength(1);
    expect(await failureOf(remote.domains(callTo(peer.url)))).toEqual(failed('upstream_tls', 'self_signed'));
  });

  test('a peer without TLS is distinguished from an unreachable one', async () => {
    const plain = keep(await serveTcp((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')));
    expect(await failureOf(remoteTo().domains(callTo(plain.url)))).toEqual(failed('upstream_tls', 'unknown'));
    await plain.close();
    expect(await failureOf(remoteTo().domains(callTo(plain.url)))).toEqual(
      failed('upstream_failed', 'unreachable'),
    );
  });
});

describe('total deadlines', () => {
  const drip: RequestListener = (_request, response) => {
    const timer = setInterval(() => response.write(' '), 50);
    response.on('close', () => clearInterval(timer));
  };
  const peers: [string, () => Promise<Peer>][] = [
    ['a dripping body', () => peerOf(drip)],
    ['headers that never come', () => peerOf(() => undefined)],
    ['a silent handshake', silent],
  ];

  test.each(peers)('%s ends at the deadline', async (_name, open) => {
    const peer = await open();
    const started = performance.now();
    expect(await failureOf(remoteTo().domains(callTo(peer.url)))).toEqual(failed('upstream_timeout'));
    expect(performance.now() - started).toBeLessThan(3 * deadlineMs);
  });

  test('the shorter timeout of a node applies', async () => {
    const peer = await silent();
    const started = performance.now();
    const call = { ...callTo(peer.url, { timeoutMs: deadlineMs }), deadlineMs: 60_000 };
    expect(await failureOf(remoteTo().domains(call))).toEqual(failed('upstream_timeout'));
    expect(performance.now() - started).toBeLessThan(3 * deadlineMs);
  });

  test('an abort ends the call before its deadline', async () => {
    const peer = await silent();
    const started = performance.now();
    const call = { ...callTo(peer.url), deadlineMs: 60_000, signal: AbortSignal.timeout(deadlineMs) };
    expect(await failureOf(remoteTo().domains(call))).toEqual(failed('upstream_timeout'));
    expect(performance.now() - started).toBeLessThan(3 * deadlineMs);
  });

  test('a call that hangs does not affect other calls to the same node', async () => {
    const held: ServerResponse[] = [];
    const peer = await peerOf((request, response) => {
      if (request.url?.startsWith('/api/health')) return;
      held.push(response);
    });
    const remote = remoteTo();
    const patient = remote.domains({ ...callTo(peer.url), deadlineMs: 5000 });
    const hung = remote.health({ ...callTo(peer.url), healthKey: 'k' });
    expect(await failureOf(hung)).toEqual(failed('upstream_timeout'));
    for (const response of held) json(response, domains);
    expect(await patient).toHaveLength(1);
  });

  test('an abandoned handshake ends, and the next call connects again', async () => {
    const node = await peerOf((_request, response) => json(response, domains));
    const closed = Promise.withResolvers<void>();
    const started = performance.now();
    let isSilent = true;
    const front = keep(
      await serveTcp((socket) => {
        if (isSilent) socket.on('close', closed.resolve).resume();
        else socket.pipe(connect(node.port, '127.0.0.1')).pipe(socket);
      }),
    );
    const remote = remoteTo();
    expect(await failureOf(remote.domains(callTo(front.url)))).toEqual(failed('upstream_timeout'));
    await closed.promise;
    expect(performance.now() - started).toBeLessThan(3 * deadlineMs);
    isSilent = false;
    expect(await remote.domains(callTo(front.url))).toHaveLength(1);
  });
});

describe('connections to nodes', () => {
  test('calls to one node share a connection, but not with another authority or verification', async () => {
    const peer = await peerOf((_request, response) => json(response, domains));
    const remote = remoteTo({ allowInsecure: true });
    await remote.domains(callTo(peer.url));
    await remote.domains(callTo(peer.url));
    expect(peer.connections()).toBe(1);
    await remote.domains(callTo(peer.url, { verifyTls: false }));
    expect(peer.connections()).toBe(2);
    const stranger = await createAuthority('Stranger');
    const failure = await failureOf(remote.domains(callTo(peer.url, { caCertificate: stranger.ca })));
    expect(failure).toEqual(failed('upstream_tls', 'unknown_ca'));
  });

  test('at most 16 connections are open to one node, and the one of the longest unused node is closed', async () => {
    const answer: RequestListener = (_request, response) => json(response, domains);
    const [first, second] = [await peerOf(answer), await peerOf(answer)];
    const remote = remoteTo({ maxPools: 1 });
    const call = { ...callTo(first.url), deadlineMs: 10_000 };
    const answers = await Promise.all(Array.from({ length: 64 }, () => remote.domains(call)));
    expect(answers).toHaveLength(64);
    expect(first.connections()).toBeLessThanOrEqual(16);
    const before = first.connections();
    await remote.domains(callTo(second.url));
    await remote.domains(callTo(first.url));
    expect(first.connections()).toBe(before + 1);
  });
});

describe('nodes with invalid answers', () => {
  const text =
    (body: string, status = 200): RequestListener =>
    (_request, response) =>
      response.writeHead(status).end(body);
  const cases: [string, RequestListener, Record<string, unknown>][] = [
    ['HTML', text('<html>secret-host</html>'), failed('upstream_failed', 'not_json')],
    ['half JSON', text('[{"authUuid":'), failed('upstream_failed', 'not_json')],
    ['another schema', text('{"items":[]}'), failed('upstream_failed', 'wrong_shape')],
    [
      'a body cut short',
      (_q, r) => r.writeHead(200, { 'content-length': 99 }).write('[', () => r.destroy()),
      failed('upstream_failed', 'unreachable'),
    ],
    [
      'an error page',
      text('<html>stack at secret-host</html>', 500),
      failed('upstream_failed', 'server_error'),
    ],
    ['no such call', text('{}', 404), failed('upstream_failed', 'unexpected_status')],
    ['a refusal', text('{}', 403), failed('upstream_refused', 'forbidden')],
  ];

  test.each(
    cases,
  )('%s is reported as our own error without the text of the node', async (_name, listener, expected) => {
    const peer = await peerOf(listener);
    expect(await failureOf(remoteTo().domains(callTo(peer.url)))).toEqual(expected);
  });

  test('a failing call is sent exactly once, and none after the deadline', async () => {
    let requests = 0;
    const peer = await peerOf((_request, response) => {
      requests += 1;
      response.destroy();
    });
    const remote = remoteTo();
    expect(await failureOf(remote.domains(callTo(peer.url)))).toEqual(
      failed('upstream_failed', 'unreachable'),
    );
    expect(requests).toBe(1);
    const late = { ...callTo(peer.url), deadlineMs: 0 };
    expect(await failureOf(remote.domains(late))).toEqual(failed('upstream_timeout'));
    expect(requests).toBe(1);
  });
});
