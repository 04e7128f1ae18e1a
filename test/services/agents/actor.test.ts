import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { connect } from 'node:tls';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { workplaceAgents } from '../../../db/schema/agents/agents.ts';
import { refused, startAgentStand } from '../../support/agents.ts';
import { useStand } from '../../support/factories.ts';
import { workplaceOf } from '../../support/fleet/fleet.ts';
import type { Json } from '../../support/portal.ts';
import { requireService } from '../../support/services.ts';

const python = '/usr/bin/python3';
const has = (program: string, option: string) => spawnSync(program, [option]).status === 0;

const stand = useStand(startAgentStand);

/** A request of actor 4.0: `result` of the answer, which has no member `error`. */
async function actor(name: string, body: Json, ip = '203.0.113.7'): Promise<Json> {
  const headers = { 'user-agent': 'UDS Actor v4.0.0/20260101' };
  const answer = await stand.agent(`POST /${name}`, { body, headers, ip });
  expect([name, answer.status, 'error' in answer.body]).toEqual([name, 200, false]);
  return answer.body.result;
}

const interfacesOf = (n: number) => [
  { mac: '00:50:56:00:00:99', ip: '192.168.99.1' },
  { mac: workplaceOf(stand.fleet, 'Office', n).unique_id.toUpperCase(), ip: '10.9.9.9' },
];
const initialization = (token: string, n: number, type = 'managed') => ({
  type,
  token,
  version: '4.0.0',
  build: '20260101',
  id: interfacesOf(n),
});
const records = async (n: number): Promise<Json[]> => {
  const { uuid } = workplaceOf(stand.fleet, 'Office', n);
  return (await stand.journal()).filter(({ details }) => details.workplace_uuid === uuid);
};
const cameTimes = async (n: number): Promise<number> =>
  (await records(n)).filter(({ code }) => code === 'agent_initialized').length;

const certificate = {
  private_key: expect.stringMatching(/^-----BEGIN ENCRYPTED PRIVATE KEY-----\n[\s\S]+-----END .+-----\n$/),
  server_certificate: expect.stringMatching(/^-----BEGIN CERTIFICATE-----\n[\s\S]+-----END .+-----\n$/),
  password: expect.stringMatching(/^[\w-]{43}$/),
  ciphers: expect.stringContaining('ECDHE-ECDSA-'),
};

describe('the requests of an OpenUDS actor 4.0', () => {
  it('of a managed machine are all answered with the values it reads', async () => {
    const master = await stand.register();
    expect(await actor('test', { type: 'managed', token: master })).toBe('ok');
    const { unique_id } = workplaceOf(stand.fleet, 'Office', 1);
    const told = await actor('initialize', initialization(master, 1));
    expect(told).toMatchObject({ os: null, unique_id: unique_id.toLowerCase(), master_token: master });
    const own: string = told.token;
    const endpoint = { token: own, secret: 's'.repeat(44), port: 43910 };
    const ready = await actor('ready', { ...endpoint, ip: '10.9.9.9' });
    expect(ready).toEqual(certificate);
    await actor('log', { token: own, level: 30_000, message: 'Service ready' });
    const changed = await actor('ipchange', { ...endpoint, ip: '10.9.9.10' });
    expect(changed).toEqual(certificate);
    expect(changed.private_key).not.toBe(ready.private_key);
    const person = { type: 'managed', id: interfacesOf(1), token: own, session_type: 'xrdp', secret: '' };
    const login = await actor('login', { ...person, username: 'grace' });
    expect(login).toMatchObject({ deadline: null, max_idle: null, session_id: expect.any(String) });
    const session = async () => (await stand.sessions()).find(({ user }) => user === 'grace');
    expect(await session()).toMatchObject({ session_uuid: login.session_id, protocol: 'xrdp' });
    // A service that is stopped has no name and no type of the session.
    const stop = { ...person, username: '', session_type: '', session_id: login.session_id };
    expect(await actor('logout', stop)).toBe('ok');
    expect(await session()).toBeUndefined();
  });

  it('of an unmanaged machine are answered at its start and at each login', async () => {
    const master = await stand.register();
    const start = { id: interfacesOf(2), token: master, secret: 's'.repeat(44), port: 43910 };
    expect(await actor('unmanaged', start)).toEqual(certificate);
    const { token } = await actor('initialize', initialization(master, 2, 'unmanaged'));
    const person = { type: 'unmanaged', id: interfacesOf(2), token, username: 'linus' };
    const { session_id } = await actor('login', { ...person, session_type: 'console', secret: 'x' });
    await actor('logout', { ...person, session_type: 'console', session_id, secret: 'x' });
    const next = await actor('initialize', initialization(master, 2, 'unmanaged'));
    expect(next.token).not.toBe(token);
  });

  it('of an actor 3.6 are answered too, whose levels are 10,000 lower', async () => {
    const master = await stand.register();
    const { own_token: token } = await actor('initialize', {
      ...initialization(master, 1),
      version: '3.6.0',
    });
    expect(await actor('ready', { token, secret: 's', ip: '10.9.9.9', port: 43910 })).toEqual(certificate);
    const before = (await records(1)).length;
    for (const level of [10_000, 20_000, 30_000, 40_000, 50_000])
      await actor('log', { token, level, message: `at ${level}` });
    expect((await records(1)).slice(before).map(({ level, message }) => [level, message])).toEqual([
      ['info', 'at 20000'],
      ['warning', 'at 30000'],
      ['error', 'at 40000'],
      ['critical', 'at 50000'],
    ]);
    const person = { token, username: 'grace', session_type: 'xrdp', secret: null };
    // It does not read the identifier of the session, and ends it by the user name.
    expect(await actor('login', person)).toMatchObject({ dead_line: null, max_idle: null });
    expect(await actor('logout', person)).toBe('ok');
    expect((await stand.sessions()).map(({ user }) => user)).not.toContain('grace');
    await actor('initialize', initialization(token, 1));
  });

  it('of a machine without a workplace do not lock its network', async () => {
    const master = await stand.register();
    const ip = '198.51.100.77';
    const id = [{ mac: '00:50:56:00:00:77', ip: '10.0.0.77' }];
    const body = { ...initialization(master, 1, 'unmanaged'), id };
    expect(await actor('initialize', body, ip)).toMatchObject({ token: null, os: null });
    expect(await actor('unmanaged', { id, token: master, secret: 's', port: 1 }, ip)).toEqual(certificate);
    for (let login = 0; login < 7; login++) {
      const person = { token: master, username: 'eve', session_type: 'console' };
      expect(await stand.agent('POST /login', { body: person, ip })).toMatchObject({
        status: 404,
        body: refused('not_found'),
      });
    }
    expect((await stand.agent('POST /test', { body: { token: 'wrong' }, ip })).status).toBe(401);
  });
});

describe('a repeated initialization', () => {
  it('returns the same token with one journal entry, until the token is used', async () => {
    const master = await stand.register();
    const before = await cameTimes(0);
    const [first, ...others] = await Promise.all(
      Array.from({ length: 6 }, () => actor('initialize', initialization(master, 0))),
    );
    for (let repeat = 0; repeat < 6; repeat++)
      others.push(await actor('initialize', initialization(master, 0)));
    const own: string = first?.token;
    expect(new Set(others.map(({ token }) => token))).toEqual(new Set([own]));
    expect(await cameTimes(0)).toBe(before + 1);
    await actor('ready', { token: own, secret: 's', ip: '10.1.1.1', port: 43910 });
    const { token: next } = await actor('initialize', initialization(master, 0));
    expect(next).not.toBe(own);
    expect(await cameTimes(0)).toBe(before + 2);
    const former = await stand.agent('POST /test', { body: { token: own }, ip: '198.51.100.78' });
    expect([former.status, former.body]).toEqual([401, refused('invalid_token')]);
    await actor('test', { type: 'managed', token: next });
  });

  it('with the token of the workplace has one journal entry a minute', async () => {
    const own = await stand.initialize(0);
    await actor('ready', { token: own, secret: 's', ip: '10.1.1.1', port: 43910 });
    const before = await cameTimes(0);
    for (let repeat = 0; repeat < 3; repeat++)
      expect((await actor('initialize', initialization(own, 0))).token).toBe(own);
    expect(await cameTimes(0)).toBe(before);
    stand.world.portal.advance(61);
    await actor('initialize', initialization(own, 0));
    expect(await cameTimes(0)).toBe(before + 1);
  });

  it('with another registration returns another token', async () => {
    const [one, other] = [await stand.register(), await stand.register()];
    const first = await actor('initialize', initialization(one, 0));
    const second = await actor('initialize', initialization(other, 0));
    expect(second.token).not.toBe(first.token);
    expect(second.master_token).toBe(other);
    await actor('test', { type: 'managed', token: second.token });
    const { status } = await stand.agent('POST /test', {
      body: { token: first.token },
      ip: '198.51.100.79',
    });
    expect(status).toBe(401);
  });
});

describe('the key pair of an agent', () => {
  it('is not stored; the journal has the fingerprint', async () => {
    const own = await stand.initialize(1);
    const issued = await actor('ready', { token: own, secret: 's', ip: '10.2.2.2', port: 43910 });
    const { fingerprint256 } = new X509Certificate(issued.server_certificate);
    const [last] = (await records(1)).slice(-1);
    expect(last?.details).toMatchObject({
      ip: '10.2.2.2',
      certificate_sha256: fingerprint256.replaceAll(':', '').toLowerCase(),
    });
    const { db, log } = stand.world.portal;
    const { uuid } = workplaceOf(stand.fleet, 'Office', 1);
    const rows = await db.select().from(workplaceAgents).where(eq(workplaceAgents.workplace_uuid, uuid));
    const kept = JSON.stringify([rows, last, log]);
    for (const secret of [issued.password, issued.private_key.split('\n')[1], own])
      expect(kept).not.toContain(secret);
  });

  it.each(['10.3.3.3', '2001:db8::7'])('opens with its password, and names %s', async (ip) => {
    const own = await stand.initialize(1);
    const issued = await actor('ready', { token: own, secret: 's', ip, port: 43910 });
    const key = createPrivateKey({ key: issued.private_key, passphrase: issued.password });
    const shown = new X509Certificate(issued.server_certificate);
    expect([shown.checkPrivateKey(key), shown.checkIP(ip), shown.ca]).toEqual([true, ip, false]);
    expect(shown.verify(shown.publicKey)).toBe(true);
    expect(() => createPrivateKey({ key: issued.private_key, passphrase: 'wrong' })).toThrow();
  });
});

requireService('openssl', has('openssl', 'version'))('openssl and the key pair of an agent', () => {
  it('opens the key with the password only, and reads the certificate of the same key', async () => {
    const own = await stand.initialize(1);
    const issued = await actor('ready', { token: own, secret: 's', ip: '10.4.4.4', port: 43910 });
    const options = (input: string) => ({ input, encoding: 'utf8', stdio: 'pipe' }) as const;
    const publicKey = (password: string) =>
      execFileSync(
        'openssl',
        ['pkey', '-passin', `pass:${password}`, '-pubout'],
        options(issued.private_key),
      );
    const ofCertificate = ['x509', '-noout', '-pubkey'];
    expect(publicKey(issued.password)).toBe(
      execFileSync('openssl', ofCertificate, options(issued.server_certificate)),
    );
    expect(() => publicKey('wrong')).toThrow();
    const text = execFileSync('openssl', ['x509', '-noout', '-text'], options(issued.server_certificate));
    expect(text).toContain('IP Address:10.4.4.4');
  });
});

/** TLS settings of the actor: key and certificate in one file, its minimum version, the cipher suites of the response. */
const server = `
import ssl, sys, socket
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.minimum_version = ssl.TLSVersion.TLSv1_2
context.set_ciphers(sys.argv[3])
context.load_cert_chain(certfile=sys.argv[1], password=sys.argv[2])
listener = socket.create_server(('127.0.0.1', 0))
print(listener.getsockname()[1], flush=True)
while True:
    connection, _ = listener.accept()
    try:
        with context.wrap_socket(connection, server_side=True) as tls:
            tls.sendall(b'hello ' + tls.version().encode())
    except OSError as error:
        print(error, file=sys.stderr)
`;

requireService('python3', has(python, '--version'))('Python, in which actors are written', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'actor-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('serves TLS 1.2 and 1.3 with the key pair', async () => {
    const own = await stand.initialize(1);
    const issued = await actor('ready', { token: own, secret: 's', ip: '127.0.0.1', port: 43910 });
    const file = join(folder, 'identity.pem');
    await writeFile(file, issued.private_key + issued.server_certificate);
    const process = spawn(python, ['-c', server, file, issued.password, issued.ciphers], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const [port] = await once(createInterface({ input: process.stdout }), 'line');
      for (const version of ['TLSv1.2', 'TLSv1.3'] as const)
        expect(await greeting(Number(port), issued.server_certificate, version)).toBe(`hello ${version}`);
    } finally {
      process.kill('SIGKILL');
      await once(process, 'close');
    }
  });
});

/** The response of the server with this certificate, which is the only trusted one. */
async function greeting(port: number, ca: string, version: 'TLSv1.2' | 'TLSv1.3'): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, ca, minVersion: version, maxVersion: version });
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  await once(socket, 'end');
  socket.destroy();
  return text;
}
