import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../../shared/kernel/ids.ts';
import { createNodeTransport } from '../../../shared/remotes/http/node.ts';
import type { Lookup } from '../../../shared/remotes/tls/node.ts';
import { nodeOf } from '../../../shared/sites/calls/dispatcher-keys.ts';
import { testConnection } from '../../../shared/sites/connection-test/connection-test.ts';
import { type CertificateKind, sendingAuthority } from '../../simulator/authority.ts';
import { type Simulator, type SimulatorOptions, startSimulator } from '../../simulator/start.ts';
import {
  type Ask,
  addDispatcher,
  addMember,
  addNode,
  addSite,
  adminOf,
  audited,
  base,
  dispatcherState,
  pool,
  unique,
  useWorld,
} from '../../support/factories.ts';
import { baseUrl, type Json } from '../../support/portal.ts';

const path = `${base}/dispatchers/test`;
const world = useWorld();
const admin = adminOf(world);
const closing: { close(): unknown }[] = [];
/** An administrator for each test, because tests of connections are limited. */
let ask: Ask;
beforeEach(async () => {
  ({ ask } = await addMember(world, ['dispatchers.create', 'dispatchers.update']));
});
afterEach(async () => {
  await Promise.all(closing.splice(0).map((one) => one.close()));
});

async function start(options: Partial<SimulatorOptions> = {}): Promise<Simulator> {
  const simulator = await startSimulator({
    state: dispatcherState(world, { pools: [pool('Office'), pool('Lab')] }),
    name: unique('node'),
    issuer: baseUrl,
    jwks: async () => world.portal.deps.signingKeys.jwks,
    ...options,
  });
  closing.push(simulator);
  return simulator;
}

/** A TCP server that never answers, or ends every connection. @returns its URL */
async function startTcp(mode: 'silent' | 'closing'): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    if (mode === 'closing') socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(server);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `https://127.0.0.1:${address.port}`;
}

const settingsOf = ({ name, url, caPem }: Simulator, given: object = {}) => ({
  name,
  url,
  ca_certificate: caPem,
  ...given,
});
const test = async (settings: object): Promise<Json> => {
  const answer = await ask(`POST ${path}`, settings);
  expect(answer.status).toBe(200);
  return answer.body;
};
/** The steps as `name: status`, with the code of those that do not pass. */
const outcome = ({ steps }: Json): string[] =>
  steps.map(({ name, status, code }: Json) => [`${name}: ${status}`, code].filter(Boolean).join(' '));
const failure = ({ steps }: Json): string | undefined => {
  const failed = steps.filter(({ status }: Json) => status === 'fail');
  expect(failed.length).toBeLessThanOrEqual(1);
  return failed[0] && `${failed[0].name}: ${failed[0].code}`;
};

describe('the test of settings', () => {
  it('passes all steps, reports what was found, and leaves nothing behind', async () => {
    const simulator = await start();
    const { result, events } = await audited(world.portal, () =>
      test(settingsOf(simulator, { health_key: simulator.healthKey })),
    );
    expect(result).toMatchObject({ success: true, domains: [world.domain.small_name], pools: 2 });
    expect(outcome(result)).toEqual([
      'lookup: skipped literal_address',
      'address: pass',
      'connection: pass',
      'certificate: pass',
      'answer: pass',
      'authorization: pass',
      'trusted_address: skipped no_account',
      'administrator: skipped no_account',
      'tickets: skipped no_account',
      'health: pass',
      'lists: pass',
    ]);
    expect(result.version).toMatch(/./);
    expect(result.tls).toMatchObject({ faults: [], protocol: 'TLSv1.3' });
    expect(result.portal).toEqual({
      issuer: baseUrl,
      audience: simulator.name,
      jwks_url: `${baseUrl}/api/auth/v7.0/jwks`,
    });
    expect(events).toEqual([]);
    expect(simulator.loggedOut).toEqual(['aggregator']);
    expect(JSON.stringify(result)).not.toContain(simulator.healthKey);
  });

  it.each<[CertificateKind, string, string[]]>([
    ['self_signed', 'certificate: self_signed', ['self_signed']],
    ['unknown_ca', 'certificate: unknown_ca', ['unknown_ca']],
    ['expired', 'certificate: expired', ['expired']],
    ['wrong_name', 'certificate: wrong_name', ['wrong_name']],
  ])('shows a certificate that is %s, and sends no request', async (certificate, code, faults) => {
    const simulator = await start({ certificate });
    const body = await test(settingsOf(simulator));
    expect(failure(body)).toBe(code);
    expect(body.tls.faults).toEqual(faults);
    expect(body.tls.chain[0]).toMatchObject({
      ...{ subject: 'CN=dispatcher', is_authority: false },
      is_self_signed: certificate === 'self_signed',
    });
    expect(body.tls.chain[0].fingerprint).toMatch(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
    expect(simulator.calls).toEqual([]);
  });

  it.each<CertificateKind>([
    'self_signed',
    'unknown_ca',
    'good',
  ])('passes, and the node can be used, with the presented certificate (%s) as the trusted one', async (certificate) => {
    const simulator = await start({ certificate });
    const first = await test(settingsOf(simulator, { ca_certificate: null }));
    const trusted = settingsOf(simulator, { ca_certificate: first.tls.chain[0].pem });
    expect((await test(trusted)).success).toBe(true);
    const node = await addDispatcher(admin, world.farm, trusted);
    const authorized = await admin('POST /api/auth/v7.0/jwtauth', { dispatcher_id: node.id });
    expect([authorized.status, authorized.body.result]).toEqual([200, 'ok']);
  });

  it('shows the authority that the node sends, and accepts it as trusted', async () => {
    const simulator = await start({ authority: await sendingAuthority() });
    const { tls, ...first } = await test(settingsOf(simulator, { ca_certificate: null }));
    expect(failure(first)).toBe('certificate: unknown_ca');
    expect(tls.chain).toMatchObject([
      { subject: 'CN=dispatcher', issuer: 'CN=Company', is_authority: false, is_self_signed: false },
      { subject: 'CN=Company', issuer: 'CN=Company', is_authority: true, is_self_signed: true },
    ]);
    const [, authority] = tls.chain;
    expect((await test(settingsOf(simulator, { ca_certificate: authority.pem }))).success).toBe(true);
  });

  it('does not accept an expired certificate, or one of another name, as trusted', async () => {
    for (const certificate of ['expired', 'wrong_name'] as const) {
      const simulator = await start({ certificate });
      const first = await test(settingsOf(simulator));
      const again = await test(settingsOf(simulator, { ca_certificate: first.tls.chain[0].pem }));
      expect(failure(again)).toBe(`certificate: ${certificate}`);
    }
  });

  it('gives one result for a closed port, at once, a silent server and one without TLS', async () => {
    const urls = ['https://127.0.0.1:9', await startTcp('silent'), await startTcp('closing')];
    const results = await Promise.all(
      urls.map((url) => test({ name: unique('node'), url, timeout_ms: 3_000 })),
    );
    const times = results.map(({ steps }) => steps.find(({ name }: Json) => name === 'connection').took_ms);
    expect(times.map((took) => took >= 2_900)).toEqual([false, true, false]);
    const [first, ...others] = results.map((body) => outcome(body));
    expect(first).toContain('connection: fail no_tls_server');
    for (const other of others) expect(other).toEqual(first);
  });

  it('names a host name that does not resolve', async () => {
    const body = await test({ name: unique('node'), url: 'https://no-such-node.invalid' });
    expect(outcome(body).slice(0, 2)).toEqual([
      'lookup: fail name_not_found',
      'address: skipped not_reached',
    ]);
  });

  it('refuses private addresses at the field, and names that resolve to them at the step', async () => {
    const refused = await ask(`POST ${path}`, { name: unique('node'), url: 'https://10.0.0.1' });
    expect(refused.body.errors).toMatchObject([{ pointer: '/url', code: 'address_not_allowed' }]);
    const lookup: Lookup = (_name, _options, callback) =>
      callback(null, [{ address: '10.0.0.1', family: 4 }]);
    const transport = createNodeTransport({ allowedNetworks: [], allowInsecure: false, lookup });
    closing.push(transport);
    const options = { deadlineMs: 1_000 };
    expect(await transport.examine('https://node.example.com', options)).toMatchObject({
      ...{ failed: 'address', addresses: [], tls: null },
    });
    await expect(transport.examine('https://10.0.0.1', options)).rejects.toThrow('address_not_allowed');
  });

  it.each([
    ['hangs', { hang: 'headers' }, 'answer: upstream_timeout'],
    ['responds with a page', { lies: 'html' }, 'answer: not_json'],
    ['responds with other JSON', { lies: 'other_schema' }, 'answer: wrong_shape'],
    ['sends a redirect', { lies: 'redirect' }, 'answer: redirect'],
    ['sends a huge body', { lies: 'huge' }, 'answer: too_large'],
    ['resets the connection', { reset: true }, 'answer: unreachable'],
    ['reports an error', { failing: 500 }, 'answer: server_error'],
    ['rejects the portal', { failing: 401 }, 'authorization: unauthorized'],
    ['forbids the portal', { failing: 403 }, 'authorization: forbidden'],
  ] as const)('finds a node that %s', async (_, knobs, expected) => {
    const simulator = await start({ knobs });
    const body = await test(settingsOf(simulator, { timeout_ms: 500 }));
    expect(failure(body)).toBe(expected);
    expect(body.success).toBe(false);
    expect(JSON.stringify(body)).not.toMatch(/It works|A staged failure|169\.254/);
  });

  it('finds a node that was configured with another name, or cannot read the keys', async () => {
    const simulator = await start();
    expect(failure(await test(settingsOf(simulator, { name: unique('other') })))).toBe(
      'authorization: unauthorized',
    );
    const keyless = await start({ jwks: 'https://127.0.0.1:9/jwks' });
    expect(failure(await test(settingsOf(keyless)))).toBe('answer: server_error');
  });

  it('finds a wrong key of the health check, a failing node and lists that cannot be read', async () => {
    const simulator = await start();
    const wrong = await test(settingsOf(simulator, { health_key: 'wrong' }));
    expect(failure(wrong)).toBe('health: unauthorized');
    simulator.knobs.health = 'fail';
    const failing = await test(settingsOf(simulator, { health_key: simulator.healthKey }));
    expect(failure(failing)).toBe('health: reported_fail');
    Object.assign(simulator.knobs, { path: '/api/webui/spsessions', failing: 403 });
    expect(failure(await test(settingsOf(simulator)))).toBe('lists: forbidden');
  });

  it('refuses the name of an existing node, whose tokens another server could otherwise receive', async () => {
    const node = await addDispatcher(admin, world.farm);
    const simulator = await start({ name: node.name });
    const answer = await ask(`POST ${path}`, settingsOf(simulator, { name: node.name.toUpperCase() }));
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([409, '/name']);
    expect(simulator.calls).toEqual([]);
  });

  it('writes its results in the language of the caller', async () => {
    const answer = await ask(
      `POST ${path}`,
      { name: unique('node'), url: 'https://no-such-node.invalid' },
      {
        'accept-language': 'ru',
      },
    );
    expect(answer.body.message).toBe('Портал пока не может работать с узлом');
    expect(answer.body.steps[0].detail).toMatch(/^Имя/);
  });
});

it('skips what the platform gives no access to, and tests the rest', async () => {
  const simulator = await start();
  // As on Workers: HTTPS without access to connections.
  const { examine: _, ...transport } = createNodeTransport({
    allowedNetworks: ['127.0.0.0/8'],
    allowInsecure: false,
  });
  closing.push(transport);
  const { dispatchers } = world.portal.deps;
  const parts = {
    transport,
    dispatchers,
    now: new Date(),
    trace: { requestId: newId() },
    background: () => undefined,
  };
  const settings = { ...settingsOf(simulator), verify_tls: true, kind: 'dispatcher', timeout_ms: 5_000 };
  const account = { account_domain: null, account_name: null, account_password: null };
  const node = nodeOf({ id: newId(), ...settings, ...account });
  const { steps, tls, pools } = await testConnection(parts, { node, healthKey: undefined });
  expect([tls, pools]).toEqual([null, 2]);
  expect(outcome({ steps })).toEqual([
    'lookup: skipped not_available',
    'address: skipped not_available',
    'connection: skipped not_available',
    'certificate: skipped not_available',
    'answer: pass',
    'authorization: pass',
    'trusted_address: skipped no_account',
    'administrator: skipped no_account',
    'tickets: skipped no_account',
    'health: skipped no_health_key',
    'lists: pass',
  ]);
});

describe('the test of a stored node', () => {
  it('uses the stored settings and the stored key of the health check', async () => {
    const { dispatcher, simulator } = await addNode(world, world.farm, {
      dispatcher: { health_key: 'health-key' },
    });
    closing.push(simulator);
    const answer = await ask(`POST ${base}/dispatchers/${dispatcher.id}/test`);
    expect(answer.body).toMatchObject({ success: true });
    expect(outcome(answer.body)).toContain('health: pass');
    expect(JSON.stringify(answer.body)).not.toContain('health-key');
  });

  it('is not found outside of the scope, and needs the permission', async () => {
    const node = await addDispatcher(admin, world.farm);
    const elsewhere = await addSite(admin);
    const route = `POST ${base}/dispatchers/${node.id}/test`;
    const stranger = await addMember(world, ['dispatchers.update'], [elsewhere.id]);
    expect((await stranger.ask(route)).status).toBe(404);
    const reader = await addMember(world, ['dispatchers.read']);
    expect((await reader.ask(route)).status).toBe(403);
    expect((await reader.ask(`POST ${path}`, { name: 'x', url: 'https://x.test' })).status).toBe(403);
  });
});

it('tests of a user are limited to 30 a minute, over both operations', async () => {
  const node = await addDispatcher(admin, world.farm, { url: 'https://no-such-node.invalid' });
  const { ask } = await addMember(world, ['dispatchers.create', 'dispatchers.update']);
  const stored = () => ask(`POST ${base}/dispatchers/${node.id}/test`);
  const sent = () => ask(`POST ${path}`, { name: unique('node'), url: 'https://no-such-node.invalid' });
  const answers = await Promise.all(Array.from({ length: 32 }, (_, n) => (n % 2 === 0 ? stored() : sent())));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(30);
  const [refused] = answers.filter(({ status }) => status === 429);
  expect(refused?.body).toMatchObject({ policy: 'dispatcher-test', limit_per_minute: 30 });
});
