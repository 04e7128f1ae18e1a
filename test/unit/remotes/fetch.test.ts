import type { RequestListener } from 'node:http';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createFetchTransport } from '../../../shared/remotes/http/fetch.ts';
import type { TransportRequest } from '../../../shared/remotes/http/transport.ts';
import {
  type Authority,
  createAuthority,
  type Peer,
  serveHttps,
  serveTcp,
} from '../../services/sites/dispatcher-peers.ts';

const local = createFetchTransport({ allowedNetworks: ['127.0.0.0/8'], allowInsecure: true });
const trusted = getCACertificates('default');
const peers: Peer[] = [];
let authority: Authority;

beforeAll(async () => {
  authority = await createAuthority('Trusted by the runtime');
  // A Worker cannot be given an authority: it trusts those of its runtime.
  setDefaultCACertificates([...trusted, authority.ca]);
});
afterAll(() => setDefaultCACertificates(trusted));
afterEach(async () => {
  await Promise.all(peers.splice(0).map((peer) => peer.close()));
});

async function keep(starting: Promise<Peer>): Promise<Peer> {
  const peer = await starting;
  peers.push(peer);
  return peer;
}
const serve = async (listener: RequestListener) => keep(serveHttps(await authority.issue(), listener));
const ask = (url: string, more: Partial<TransportRequest> = {}) =>
  local.send({ method: 'GET', url, headers: {}, deadlineMs: 5_000, verifyTls: true, ...more });

describe('an exchange by fetch', () => {
  it('sends its arguments and returns status, lower-case headers and text', async () => {
    const peer = await serve((request, response) => {
      const { authorization, 'accept-encoding': encoding } = request.headers;
      response.writeHead(404, { 'X-Seen': `${request.method} ${request.url}`, 'set-cookie': 'a=b' });
      request.on('data', (body) => response.end(`${authorization} ${encoding} ${body}`));
    });
    const answer = await ask(`${peer.url}/path?q=1`, {
      method: 'POST',
      headers: { authorization: 'Token x' },
      body: 'grüße',
    });
    expect(answer).toMatchObject({ status: 404, text: 'Token x identity grüße' });
    expect(answer.headers).toMatchObject({ 'x-seen': 'POST /path?q=1' });
    expect(answer.headers).not.toHaveProperty('set-cookie');
  });

  it('follows no redirect', async () => {
    const asked: unknown[] = [];
    const peer = await serve((request, response) => {
      asked.push(request.url);
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    await expect(ask(peer.url)).rejects.toMatchObject({ reason: 'redirect' });
    expect(asked).toEqual(['/']);
  });

  it.each([
    ['says so', { 'content-length': '3000' }],
    ['does not say so', {}],
  ])('reads no body that is too large, whether its peer %s', async (_, headers) => {
    const peer = await serve((_request, response) => {
      response.writeHead(200, headers).end('x'.repeat(3000));
    });
    await expect(ask(peer.url, { maxBytes: 2999 })).rejects.toMatchObject({ reason: 'too_large' });
    expect(await ask(peer.url, { maxBytes: 3000 })).toMatchObject({ status: 200 });
  });

  it('rejects a content coding that it did not request', async () => {
    const peer = await serve((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip at all');
    });
    await expect(ask(peer.url)).rejects.toMatchObject({ reason: 'malformed' });
  });
});

describe('the deadline of a fetch', () => {
  it.each<[string, RequestListener]>([
    ['a silent peer', () => undefined],
    ['a body that never ends', (_request, response) => void response.writeHead(200).write('x')],
  ])('ends the whole exchange with %s', async (_, listener) => {
    const peer = await serve(listener);
    const started = performance.now();
    await expect(ask(peer.url, { deadlineMs: 300 })).rejects.toMatchObject({ reason: 'timeout' });
    expect(performance.now() - started).toBeLessThan(2_000);
  });

  it('takes effect early when the caller aborts', async () => {
    const leaving = new AbortController();
    const peer = await serve(() => leaving.abort());
    await expect(ask(peer.url, { signal: leaving.signal })).rejects.toMatchObject({ reason: 'timeout' });
  });

  it('ends a handshake without an answer', async () => {
    const peer = await keep(serveTcp(() => undefined));
    await expect(ask(peer.url, { deadlineMs: 300 })).rejects.toMatchObject({ reason: 'timeout' });
  });
});

describe('a fetch is refused', () => {
  const nowhere = createFetchTransport({ allowedNetworks: [], allowInsecure: true });

  it.each([
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://[::ffff:7f00:1]/',
    'https://169.254.169.254/',
    'https://localhost/',
    'https://user@node.example/',
    'http://node.example/',
  ])('to %s', async (url) => {
    const sending = nowhere.send({ method: 'GET', url, headers: {}, deadlineMs: 1_000, verifyTls: true });
    await expect(sending).rejects.toMatchObject({ reason: 'address_not_allowed' });
  });

  it('with a certificate authority of the peer, which the runtime does not support', async () => {
    const peer = await serve((_request, response) => void response.end());
    await expect(ask(peer.url, { ca: authority.ca })).rejects.toMatchObject({
      reason: 'tls',
      tlsReason: 'unsupported_on_this_runtime',
    });
    expect(peer.connections()).toBe(0);
  });

  it('without verification, whatever the configuration', async () => {
    const stranger = await createAuthority('Unknown');
    const peer = await keep(serveHttps(await stranger.issue(), (_request, response) => void response.end()));
    await expect(ask(peer.url, { verifyTls: false })).rejects.toMatchObject({
      reason: 'tls',
      tlsReason: 'unknown_ca',
    });
  });

  it('to inspect the certificates of a peer', () => expect(local).not.toHaveProperty('inspect'));
});

describe('a fetch without a response', () => {
  it('is unreachable when the port is closed or the connection is cut', async () => {
    const gone = await serveTcp(() => undefined);
    await gone.close();
    await expect(ask(gone.url)).rejects.toMatchObject({ reason: 'unreachable' });
    const cut = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': '10' }).write('x', () => response.destroy());
    });
    await expect(ask(cut.url)).rejects.toMatchObject({ reason: 'unreachable' });
  });

  it.each([
    [526, { reason: 'tls', tlsReason: 'unknown', code: '526' }],
    [522, { reason: 'timeout', code: '522' }],
    [530, { reason: 'unreachable', code: '530' }],
  ])('is recognised by the status of Cloudflare: %d', async (status, fault) => {
    const peer = await serve((_request, response) => void response.writeHead(status).end('error code'));
    await expect(ask(peer.url)).rejects.toMatchObject(fault);
  });
});
