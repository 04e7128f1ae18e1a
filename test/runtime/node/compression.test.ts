import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { webPageOf } from '../../../shared/http/pages/app-page.ts';
import { type RunningServer, serveNode } from '../../../shared/runtime/node/server.ts';
import { ownAssets } from '../../../shared/tooling/build/asset-files.ts';
import { filesOfReference } from '../../support/documents/reference-files.ts';
import { adminPassword, startPortal, type TestPortal } from '../../support/portal.ts';

const webui = '/api/webui/aggregator';
const [script = '', styles = ''] = filesOfReference;
const decoders = { br: brotliDecompressSync, gzip: gunzipSync };

let portal: TestPortal;
let serving: RunningServer;
let cookie: string;
let token: string;

beforeAll(async () => {
  portal = await startPortal();
  serving = await serveNode({
    fetch: portal.portal.fetch,
    host: '127.0.0.1',
    port: 0,
    trustProxy: 0,
    log: portal.deps.log,
  });
  token = await portal.login();
  const signedIn = await portal.send('POST /signin', {
    body: { username: 'admin', password: adminPassword, authSmallName: 'builtin' },
    headers: { 'sec-fetch-site': 'same-origin' },
  });
  cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
});
afterAll(async () => {
  await serving?.close(1_000);
  await portal?.close();
});

type Received = { status: number; headers: Headers; bytes: Buffer };

/** The bytes that curl receives over a real connection. */
async function receive(path: string, headers: Record<string, string>, ...more: string[]): Promise<Received> {
  const fields = Object.entries({ cookie, ...headers }).flatMap(([name, value]) => [
    '-H',
    `${name}: ${value}`,
  ]);
  const url = `http://127.0.0.1:${serving.port}${path}`;
  const { stdout } = await promisify(execFile)('curl', ['-sS', '-i', ...fields, ...more, url], {
    encoding: 'buffer',
    maxBuffer: 2 ** 24,
  });
  const end = stdout.indexOf('\r\n\r\n');
  const [first = '', ...lines] = stdout.subarray(0, end).toString().split('\r\n');
  const pairs = lines.map((line) => line.split(/: (.*)/s, 2) as [string, string]);
  return {
    status: Number(first.split(' ')[1]),
    headers: new Headers(pairs),
    bytes: stdout.subarray(end + 4),
  };
}

const accepting = (coding: string) => ({ 'accept-encoding': coding });
const forToken = () => ({ 'x-auth-token': token, cookie: '' });
const codingOf = ({ headers }: Received) => headers.get('content-encoding');

describe('a file of the page of the user', () => {
  it.each(['br', 'gzip'] as const)('is sent by %s and may be stored for a year', async (coding) => {
    const { script } = await webPageOf(ownAssets(), 'home');
    const { headers, bytes } = await receive(`/home/files/${script}`, accepting(coding));
    expect([headers.get('content-encoding'), headers.get('vary')]).toEqual([coding, 'accept-encoding']);
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(decoders[coding](bytes).toString()).toBe(await ownAssets().text(script));
  });
});

describe('a file of the reference', () => {
  it.each(['br', 'gzip'] as const)('by %s is a quarter of its size and has the same text', async (coding) => {
    for (const path of filesOfReference) {
      const text = await ownAssets().text(path.replace(/.*\//, ''));
      const { status, headers, bytes } = await receive(path, accepting(coding));
      expect([status, headers.get('content-encoding')]).toEqual([200, coding]);
      expect(headers.get('vary')).toBe('accept-encoding');
      expect(headers.get('cache-control')).toBe('private, max-age=31536000, immutable');
      expect(Number(headers.get('content-length'))).toBe(bytes.length);
      expect(bytes.length).toBeLessThan(text.length * 0.28);
      expect(decoders[coding](bytes).toString()).toBe(text);
    }
  });

  it('is sent uncompressed to a client that accepts no coding, and for every range', async () => {
    const text = await ownAssets().text(styles.replace(/.*\//, ''));
    for (const coding of ['', 'identity', 'br;q=0, gzip;q=0', 'zstd']) {
      const plain = await receive(styles, accepting(coding));
      expect([codingOf(plain), plain.headers.get('vary')]).toEqual([null, 'accept-encoding']);
      expect(plain.bytes.toString()).toBe(text);
    }
    const range = await receive(styles, { ...accepting('br'), range: 'bytes=0-9' });
    expect([range.status, decoders.br(range.bytes).toString()]).toEqual([200, text]);
  });

  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['GZIP', 'gzip'],
    ['br;q=0.1, gzip', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
  ])('for %j is sent by %s', async (accepted, coding) => {
    expect(codingOf(await receive(styles, accepting(accepted)))).toBe(coding);
  });

  it('has the same headers for HEAD, and is 304 for the tag of any coding', async () => {
    const tags = new Set<string>();
    for (const coding of ['br', 'gzip', 'identity']) {
      const got = await receive(script, accepting(coding));
      const head = await receive(script, accepting(coding), '--head');
      const etag = got.headers.get('etag') ?? '';
      tags.add(etag);
      for (const name of ['etag', 'vary', 'content-encoding', 'cache-control', 'content-type'])
        expect([name, head.headers.get(name)]).toEqual([name, got.headers.get(name)]);
      const again = await receive(script, { ...accepting(coding), 'if-none-match': etag });
      expect([again.status, again.bytes.length, again.headers.get('etag')]).toEqual([304, 0, etag]);
      expect(again.headers.get('vary')).toBe('accept-encoding');
    }
    // The bytes of the codings differ, so that their ETag is a weak one.
    expect([...tags].toSorted()).toEqual([expect.stringMatching(/^"/), expect.stringMatching(/^W\/"/)]);
  });
});

describe('the OpenAPI document', () => {
  it.each(['json', 'yaml'])('as %s is a tenth of its size, and is revalidated each time', async (form) => {
    const path = `/api/openapi.${form}`;
    const plain = await receive(path, {});
    const { headers, bytes } = await receive(path, accepting('br'));
    expect(bytes.length).toBeLessThan(plain.bytes.length / 10);
    expect(decoders.br(bytes).equals(plain.bytes)).toBe(true);
    expect(headers.get('cache-control')).toBe('private, no-cache');
    expect(headers.get('vary')).toBe('cookie, accept-encoding');
    const known = { ...accepting('br'), 'if-none-match': headers.get('etag') ?? '' };
    expect((await receive(path, known)).status).toBe(304);
  });
});

describe('a list', () => {
  it('is compressed from 4 kB upwards', async () => {
    for (const at of Array(20).keys()) {
      const body = { name: `Site ${at}`, uri: `site-${at}` };
      expect(await portal.send(`POST ${webui}/sites`, { token, body })).toMatchObject({ status: 201 });
    }
    const path = `${webui}/sites?limit=100`;
    const plain = await receive(path, { ...forToken(), ...accepting('identity') });
    expect(plain.bytes.length).toBeGreaterThan(4_096);
    const long = await receive(path, { ...forToken(), ...accepting('gzip') });
    expect([codingOf(long), long.headers.get('vary')]).toEqual(['gzip', 'accept-encoding']);
    expect(decoders.gzip(long.bytes).equals(plain.bytes)).toBe(true);
    const short = await receive(`${webui}/sites?limit=1`, { ...forToken(), ...accepting('gzip') });
    expect([codingOf(short), short.headers.get('vary')]).toEqual([null, 'accept-encoding']);
  });
});

describe('a response that may contain a secret', () => {
  it('is never compressed: a login, a page, an error, an export file', async () => {
    const every = accepting('gzip, br');
    const json = ['-H', 'content-type: application/json'];
    const long = 'x'.repeat(6_000);
    const login = await receive('/api/auth/v7.0/login', every, ...json, '-d', `{"username":"${long}"}`);
    const page = await receive('/signin?next=/status', every);
    const reference = await receive('/api/docs/', every);
    expect([page.status, reference.status]).toEqual([200, 200]);
    const ordered = await portal.send(`GET ${webui}/audit/export?format=csv`, { token });
    expect(ordered.status).toBe(202);
    const part = JSON.stringify({ export_id: ordered.body.export_id, offset: 0 });
    const file = await receive(`${webui}/audit/export`, { ...forToken(), ...every }, ...json, '-d', part);
    const error = await receive('/api/errors/not_found', every);
    for (const answer of [login, page, reference, file, error]) {
      expect(codingOf(answer)).toBeNull();
      expect(answer.headers.get('vary') ?? '').not.toContain('accept-encoding');
    }
  });
});
