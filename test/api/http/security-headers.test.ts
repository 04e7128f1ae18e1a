import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseConfig } from '../../../shared/runtime/config/config.ts';
import { type RunningServer, serveNode } from '../../../shared/runtime/node/server.ts';
import { serverSettings } from '../../../shared/runtime/node/settings.ts';
import { ensureLocalTls } from '../../../shared/tooling/start/tls/local-tls.ts';
import { adminPassword, baseUrl, startPortal, type TestPortal } from '../../support/portal.ts';

const run = promisify(execFile);

let portal: TestPortal;
let serving: RunningServer;
let folder: string;
let cookie: string;

/** The portal on a real socket, with the settings of a public address. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'headers-'));
  portal = await startPortal();
  const { certPem, keyPem } = await ensureLocalTls(folder, []);
  serving = await serveNode({
    ...serverSettings(parseConfig({ BASE_URL: baseUrl })),
    fetch: portal.portal.fetch,
    port: 0,
    tls: { cert: certPem, key: keyPem },
    log: portal.deps.log,
  });
  const body = { username: 'admin', password: adminPassword, authSmallName: 'builtin' };
  const signedIn = await portal.send('POST /signin', { body, headers: { origin: baseUrl } });
  cookie = (signedIn.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
});
afterAll(async () => {
  await serving.close(0);
  await portal.close();
  rmSync(folder, { recursive: true, force: true });
});

type Head = { status: string; headers: Headers };

/** Sends a request with another program. @returns the header of the response */
async function curl(path: string, ...args: string[]): Promise<Head> {
  const url = `https://127.0.0.1:${serving.port}${path}`;
  const { stdout } = await run('curl', [
    '-sk',
    '-D',
    '-',
    '-o',
    join(folder, 'body'),
    '--path-as-is',
    ...args,
    url,
  ]);
  const [status = '', ...lines] = stdout.trim().split('\r\n');
  return {
    status,
    headers: new Headers(
      lines.map((line): [string, string] => [line.replace(/:.*/, ''), line.replace(/^[^:]*: */, '')]),
    ),
  };
}

const html = ['-H', 'Accept: text/html'];

describe('pages', () => {
  it.each([
    ['the sign-in page', '/signin'],
    ['the console', '/console/'],
    ['the reference', '/api/docs/'],
    ['a page about an error', '/api/errors/not_found'],
  ])('%s has the common policy and cannot be framed', async (_, path) => {
    const { status, headers } = await curl(path, ...html, '-H', `Cookie: ${cookie}`);
    expect(status).toContain(' 200');
    const policy = headers.get('content-security-policy') ?? '';
    const nonce = /'nonce-([\w-]{16,})'/.exec(policy)?.[1];
    expect(nonce).toBeDefined();
    // Pages of browser code load their scripts, styles and pictures from files of this portal.
    const common = policy
      .replaceAll(`'nonce-${nonce}'`, 'NONCE')
      .replaceAll("NONCE 'self'", 'NONCE')
      .replace("img-src data: blob: 'self'", 'img-src data:')
      .replace(" manifest-src 'self'; worker-src 'self';", '');
    expect(common).toBe(
      "default-src 'none'; script-src NONCE; style-src NONCE; img-src data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  });
});

describe('Strict-Transport-Security', () => {
  const hsts = 'max-age=31536000';

  it.each<[string, string, string[]]>([
    ['an answer of the API', '/api/auth/v7.0/authenticators', []],
    ['a page', '/signin', html],
    ['a refusal', '/api/userinfo', []],
    ['an unknown path', '/nowhere', []],
    ['a redirection', '/api/docs/', html],
    ['OPTIONS', '/livez', ['-X', 'OPTIONS']],
    ['HEAD', '/livez', ['-I']],
    ['an unknown expectation', '/livez', ['-H', 'Expect: miracles']],
    ['a request that is not HTTP', '/livez', ['-H', `X-Large: ${'x'.repeat(17_000)}`]],
    ['a request with two hosts', '/livez', ['-H', 'Host: a', '-H', 'Host: b']],
  ])('is sent on %s', async (_, path, args) => {
    const { status, headers } = await curl(path, ...args);
    expect([status.slice(0, 9), headers.get('strict-transport-security')]).toEqual(['HTTP/1.1 ', hsts]);
  });

  it.each<[string, Record<string, string>, string | undefined]>([
    ['a public address', { BASE_URL: 'https://portal.test' }, hsts],
    [
      'all hosts below it',
      { BASE_URL: 'https://portal.test', HSTS: 'subdomains' },
      `${hsts}; includeSubDomains`,
    ],
    ['a public address with HSTS=off', { BASE_URL: 'https://portal.test', HSTS: 'off' }, undefined],
    ['loopback', { HSTS: 'subdomains' }, undefined],
    ['loopback by address', { BASE_URL: 'https://127.0.0.1:8443' }, undefined],
    ['plain HTTP', { BASE_URL: 'http://localhost:1', TLS: 'off' }, undefined],
    ['a proxy that ends TLS', { BASE_URL: 'https://portal.test', TLS: 'off', TRUST_PROXY: '1' }, hsts],
  ])('is sent as configured with %s', (_, env, value) =>
    expect(serverSettings(parseConfig(env)).headers?.['strict-transport-security']).toBe(value));
});

/** The protocol that `openssl s_client` negotiates; throws when the handshake fails. */
const negotiate = async (...args: string[]): Promise<string> => {
  const address = `127.0.0.1:${serving.port}`;
  // Its standard input ends at once, which closes the connection.
  const command = `openssl s_client -connect ${address} ${args.join(' ')} </dev/null 2>&1`;
  const { stdout } = await run('sh', ['-c', command]);
  return /^\s*New, (\S+), Cipher is (\S+)/m.exec(stdout)?.slice(1).join(' ') ?? stdout;
};

describe('TLS by openssl', () => {
  it.each([
    ['-tls1_3', 'TLSv1.3 TLS_AES_256_GCM_SHA384'],
    ['-tls1_2', 'TLSv1.2 ECDHE-ECDSA-AES'],
    ['-tls1_2 -cipher ECDHE-ECDSA-AES128-GCM-SHA256', 'TLSv1.2 ECDHE-ECDSA-AES128-GCM-SHA256'],
    ['-tls1_2 -cipher ECDHE-ECDSA-AES256-GCM-SHA384', 'TLSv1.2 ECDHE-ECDSA-AES256-GCM-SHA384'],
    ['-tls1_2 -cipher ECDHE-ECDSA-CHACHA20-POLY1305', 'TLSv1.2 ECDHE-ECDSA-CHACHA20-POLY1305'],
  ])('accepts %s', async (args, negotiated) => expect(await negotiate(args)).toContain(negotiated));

  it.each([
    ['-tls1_2 -cipher ECDHE-ECDSA-AES128-SHA', 'CBC'],
    ['-tls1_2 -cipher ECDHE-ECDSA-AES256-SHA384', 'CBC'],
    ['-tls1_2 -cipher ECDHE-ECDSA-AES128-SHA256', 'CBC'],
    ['-tls1_2 -cipher ECDHE-ECDSA-AES128-CCM', 'CCM'],
    ['-tls1_2 -cipher AES128-GCM-SHA256:AES256-GCM-SHA384', 'no forward secrecy'],
    ['-tls1_1 -cipher DEFAULT@SECLEVEL=0', 'TLS 1.1'],
    ['-tls1 -cipher DEFAULT@SECLEVEL=0', 'TLS 1.0'],
  ])('refuses %s: %s', async (args) => {
    const refused = await negotiate(args).catch((error: { stdout: string }) => error.stdout);
    expect(refused).toMatch(/alert (?:handshake failure|protocol version)/);
  });
});
