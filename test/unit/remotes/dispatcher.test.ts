import { decodeJwt } from 'jose';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../../shared/kernel/errors.ts';
import { isUnauthorized } from '../../../shared/remotes/dispatcher/failures.ts';
import { createDispatchers } from '../../../shared/remotes/dispatcher/kinds.ts';
import type { Call, DispatcherRemote } from '../../../shared/remotes/dispatcher/port.ts';
import type { Transport, TransportRequest } from '../../../shared/remotes/http/transport.ts';
import { noLogins } from '../../support/fleet/no-logins.ts';
import { signingKeysOf } from '../../support/identity/signing-keys.ts';

const signer = await signingKeysOf();
const uuid = '0191d6a0-7c1e-7000-8000-000000000001';
const call: Call = {
  node: {
    id: uuid,
    kind: 'dispatcher',
    name: 'north-1',
    url: 'https://node.example/base/',
    verifyTls: true,
    timeoutMs: 5000,
  },
  key: 'session-key',
  trace: { requestId: 'request-1', traceparent: '00-aa-bb-01' },
  deadlineMs: 1500,
};
const service = { uuid, name: 'Office', protocols: ['rdp'], state: 'ready' };
const connection = { protocol: 'rdp', host: '10.0.0.5', port: 3389, username: 'ann', expires_in: 60 };

type Answer = { status?: number; body: unknown };

/** A remote whose transport returns these responses in turn, and records the requests. */
function remoteWith(...answers: Answer[]): { remote: DispatcherRemote; sent: TransportRequest[] } {
  const sent: TransportRequest[] = [];
  const transport: Transport = {
    send: async (request) => {
      const { status = 200, body } = answers[sent.push(request) - 1] ?? { status: 500, body: {} };
      return { status, headers: {}, text: JSON.stringify(body) };
    },
  };
  return { remote: createDispatchers({ transport, signer, logins: noLogins }), sent };
}

const thrownBy = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );
async function failureOf(work: Promise<unknown>): Promise<Record<string, unknown>> {
  const error = await thrownBy(work);
  if (!(error instanceof AppError)) throw new Error('no AppError', { cause: error });
  return { code: error.code, ...error.members };
}

describe('a request to a dispatcher', () => {
  test('a call with a session key has key, request id and trace, below the path of the node', async () => {
    const { remote, sent } = remoteWith({ body: [] });
    await remote.domains(call);
    expect(sent[0]).toMatchObject({
      method: 'GET',
      url: 'https://node.example/base/api/auth/v7.0/authenticators',
      headers: {
        accept: 'application/json',
        'x-auth-token': 'session-key',
        'x-request-id': 'request-1',
        traceparent: '00-aa-bb-01',
      },
      deadlineMs: 1500,
    });
  });

  test.each([
    [
      'a user',
      { id: uuid, name: 'ann', domain: 'north', groups: ['staff'], clientIp: '10.0.0.7' },
      { sub: 'ann', auth: 'north', groups: ['staff'], client_ip: '10.0.0.7' },
    ],
    ['the aggregator', null, { sub: 'aggregator' }],
  ])('the authorisation of %s sends a signed token and no key', async (_, user, claims) => {
    const { remote, sent } = remoteWith({ body: { result: 'ok', token: 'key', expires_in: 600 } });
    const now = new Date(1_800_000_000_000);
    const { node, trace } = call;
    const answer = await remote.authorize({ node, trace, principal: { user }, now, lifeS: 300 });
    expect(answer).toEqual({ token: 'key', expiresInS: 600 });
    expect(sent[0]).toMatchObject({ method: 'POST', deadlineMs: 5000 });
    expect(sent[0]?.headers).not.toHaveProperty('x-auth-token');
    const { iss, jti, ...signed } = decodeJwt(JSON.parse(sent[0]?.body ?? '').token);
    expect(signed).toEqual({ ...claims, aud: 'north-1', iat: 1_800_000_000, exp: 1_800_000_300 });
  });

  test('a health request uses its own key, and a failing node still answers', async () => {
    const { remote, sent } = remoteWith({
      status: 503,
      body: { status: 'fail', version: '7.0', checks: {} },
    });
    const health = await remote.health({ node: call.node, trace: call.trace, healthKey: 'hk' });
    expect(health).toMatchObject({ status: 'fail', version: '7.0' });
    expect(sent[0]?.headers).toMatchObject({ authorization: 'Token hk' });
    const broken = remoteWith({ status: 503, body: 'no health' });
    const failure = await failureOf(
      broken.remote.health({ node: call.node, trace: call.trace, healthKey: 'hk' }),
    );
    expect(failure).toMatchObject({ code: 'upstream_failed', reason: 'server_error' });
  });

  test('an identifier cannot leave its path segment, and absent query parameters are not sent', async () => {
    const { remote, sent } = remoteWith({ body: connection });
    await remote.connectionInfo(call, '../x?y', { protocol: 'rdp', hostname: undefined });
    expect(sent[0]?.url).toBe(
      'https://node.example/base/api/client/v7.0/connectionInfo/..%2Fx%3Fy?protocol=rdp',
    );
  });

  test('a reconnect posts the session', async () => {
    const { remote, sent } = remoteWith({ body: { link: '/r/1', expires_in: 60 } });
    expect(await remote.reconnect(call, uuid)).toEqual({ link: '/r/1', expires_in: 60 });
    expect(sent[0]).toMatchObject({ method: 'POST', body: JSON.stringify({ session_uuid: uuid }) });
    expect(sent[0]?.headers['content-type']).toBe('application/json');
  });
});

describe('services of a dispatcher', () => {
  test('all pages are read within one deadline', async () => {
    const { remote, sent } = remoteWith(
      { body: { items: [service], next: 'c 2' } },
      { body: { items: [{ ...service, name: 'Two', state: 'brand-new' }], next: null } },
    );
    const services = await remote.services(call);
    expect(services.map(({ name, state }) => [name, state])).toEqual([
      ['Office', 'ready'],
      ['Two', 'unknown'],
    ]);
    expect(new URL(sent[1]?.url ?? '').searchParams.get('cursor')).toBe('c 2');
    expect(sent[1]?.deadlineMs).toBeLessThanOrEqual(1500);
  });

  test.each([
    ['empty pages', 0, (n: number) => `c${n}`, 'empty_pages', 4],
    ['the same cursor', 1, () => 'again', 'repeated_cursor', 2],
    ['more rows than a list may have', 1000, (n: number) => `c${n}`, 'too_large', 6],
  ])('a node that answers with %s is aborted', async (_title, count, cursorOf, reason, calls) => {
    const pages = Array.from({ length: 100 }, (_, n) => ({
      body: { items: Array(count).fill(service), next: cursorOf(n) },
    }));
    const { remote, sent } = remoteWith(...pages);
    expect(await failureOf(remote.services(call))).toMatchObject({ code: 'upstream_failed', reason });
    expect(sent).toHaveLength(calls);
  });

  test.each([
    [{ name: 'two\r\nlines' }, { name: uuid, state: 'ready' }],
    [{ name: 'x'.repeat(300) }, { name: uuid }],
    [{ name: 'NUL\0' }, { name: uuid }],
    [{ protocols: 'rdp' }, { name: 'Office', protocols: [] }],
    [{ state: undefined }, { state: 'unknown' }],
    [{ maintenance: 'no' }, { maintenance: null }],
    [{ sessions: [{ session_uuid: 'none' }] }, { sessions: [] }],
  ])('a service needs only its identity: %j', async (given, read) => {
    const { remote } = remoteWith({ body: { items: [{ ...service, ...given }], next: null } });
    expect(await remote.services(call)).toMatchObject([{ uuid, ...read }]);
  });

  test('a service without an identity is omitted, and a list of only such is rejected', async () => {
    const { uuid: _, ...bad } = service;
    const { remote } = remoteWith(
      { body: { items: [bad, service], next: null } },
      { body: { items: [bad] } },
    );
    expect(await remote.services(call)).toMatchObject([{ uuid }]);
    expect(await failureOf(remote.services(call))).toMatchObject({
      code: 'upstream_failed',
      reason: 'wrong_shape',
    });
  });
});

describe('connections of a dispatcher', () => {
  test('known properties are copied, and the rest is dropped', async () => {
    const rdp = { color_depth: 32, redirect: { clipboard: true, newer: 1 }, newer: 1 };
    const { remote } = remoteWith({ body: { ...connection, rdp, newer: 1 } });
    const answer = await remote.connectionInfo(call, uuid, {});
    expect(JSON.parse(JSON.stringify(answer))).toEqual({
      ...connection,
      method: 'new',
      domain: '',
      rdp: { color_depth: 32, redirect: { clipboard: true } },
    });
  });

  test.each([
    { host: 'evil\r\nalternate shell:s:calc' },
    { host: '' },
    { port: 70_000 },
    { username: 'ann\nx' },
    { spice: { title: 'a\nproxy=evil' } },
    { spice: { secure_channels: ['main\nx'] } },
  ])('text that could add a line to a connection file is rejected: %j', async (members) => {
    const { remote } = remoteWith({ body: { ...connection, ...members } });
    expect(await failureOf(remote.connectionInfo(call, uuid, {}))).toMatchObject({ reason: 'wrong_shape' });
  });

  test.each([
    ['машина.пример.', 'xn--80aaxoh8d.xn--e1afmkfd'],
    ['WS_01.', 'ws_01'],
    [' 10.0.0.5 ', '10.0.0.5'],
    ['[2001:DB8:0::5]', '2001:db8::5'],
  ])('the machine name %j is spelled %s', async (host, spelled) => {
    const { remote } = remoteWith({ body: { ...connection, host } });
    expect(await remote.connectionInfo(call, uuid, {})).toMatchObject({ host: spelled });
  });

  test('readiness is returned unchanged', async () => {
    const body = {
      verdict: 'wait',
      protocol: 'rdp',
      ready: false,
      state: 'preparing',
      reason_code: 'starting',
      percent: 40,
    };
    const { remote } = remoteWith({ body });
    expect(await remote.preconnectionInfo(call, uuid, {})).toMatchObject({ ...body, method: 'new' });
  });
});

describe('status codes of a dispatcher', () => {
  test.each([
    [401, 'upstream_refused', 'unauthorized'],
    [403, 'upstream_refused', 'forbidden'],
    [404, 'not_found', undefined],
    [409, 'invalid_state', 'refused_by_dispatcher'],
    [422, 'invalid_state', 'refused_by_dispatcher'],
    [418, 'upstream_failed', 'unexpected_status'],
    [429, 'upstream_failed', 'unexpected_status'],
    [500, 'upstream_failed', 'server_error'],
    [503, 'upstream_failed', 'server_error'],
  ])('%d of an action becomes %s', async (status, code, reason) => {
    const { remote } = remoteWith({ status, body: { detail: 'secret-host', reason: 'theirs' } });
    const error = await thrownBy(remote.connectionInfo(call, uuid, {}));
    expect(error).toMatchObject({ code, members: { dispatcher: 'north-1' } });
    expect(error).toHaveProperty('members', { ...(reason && { reason }), dispatcher: 'north-1' });
    expect(String(error)).not.toContain('secret-host');
    expect(isUnauthorized(error)).toBe(status === 401);
  });

  test.each([404, 409, 422])('%d of a list is reported as an incompatible node', async (status) => {
    const { remote } = remoteWith({ status, body: {} });
    const failure = await failureOf(remote.services(call));
    expect(failure).toMatchObject({ code: 'upstream_failed', reason: 'unexpected_status' });
  });

  test('a service in preparation keeps its reason, progress and delay', async () => {
    const body = {
      code: 'service_in_preparation',
      reason_code: 'starting',
      percent: 40,
      retry_after_ms: 2500,
      detail: 'x',
    };
    const { remote } = remoteWith({ status: 409, body });
    expect(await failureOf(remote.connectionInfo(call, uuid, {}))).toEqual({
      code: 'service_in_preparation',
      reason_code: 'starting',
      percent: 40,
      retry_after_ms: 2500,
      retry_after_s: 3,
      dispatcher: 'north-1',
    });
  });
});
