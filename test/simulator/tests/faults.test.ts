import { once } from 'node:events';
import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { describe, expect, test } from 'vitest';
import type { CertificateKind } from '../authority.ts';
import { agent, ask, restart, sim, useSimulator } from '../data/fixture.ts';
import { noFaults } from '../faults.ts';

useSimulator();

describe('faults of the simulator', () => {
  const domains = '/api/auth/v7.0/authenticators';
  let patienceMs = 5_000;
  const plain = () =>
    request(sim.url + domains, { dispatcher: agent, signal: AbortSignal.timeout(patienceMs) });

  test('apply to their configured paths, and are counted', async () => {
    Object.assign(sim.knobs, { failing: 500, path: '/api/health' });
    expect((await ask('/api/health/check')).status).toBe(500);
    expect((await ask(`${domains}?x=1`)).status).toBe(200);
    expect(sim.calls.map(({ method, path, query }) => `${method} ${path} ${query}`)).toEqual([
      'GET /api/health/check ',
      `GET ${domains} x=1`,
    ]);
    sim.resetCalls();
    expect(sim.calls).toHaveLength(0);
  });

  test('include hanging before the headers and in the body, slow bodies and resets', async () => {
    patienceMs = 300;
    sim.knobs.hang = 'headers';
    await expect(Promise.all([plain(), plain()])).rejects.toThrow();
    expect(sim.maxInFlight).toBe(2);
    Object.assign(sim.knobs, noFaults(), { hang: 'body' });
    const stalled = await plain();
    await expect(stalled.body.text()).rejects.toThrow();
    Object.assign(sim.knobs, noFaults(), { dripping: true });
    const dripping = await plain();
    await expect(dripping.body.text()).rejects.toThrow();
    patienceMs = 5_000;
    Object.assign(sim.knobs, noFaults(), { reset: true });
    await expect(plain()).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' });
    Object.assign(sim.knobs, noFaults(), { latencyMs: 50 });
    const started = performance.now();
    expect((await ask(domains)).status).toBe(200);
    expect(performance.now() - started).toBeGreaterThanOrEqual(49);
  });

  test('include every kind of wrong answer', async () => {
    const resultOf = async (lie: typeof sim.knobs.lies) => {
      sim.knobs.lies = lie;
      return plain();
    };
    expect((await resultOf('html')).headers['content-type']).toBe('text/html');
    const half = await (await resultOf('half_json')).body.text();
    expect(() => JSON.parse(half)).toThrow();
    expect(await (await resultOf('other_schema')).body.json()).toMatchObject({ schema: 99 });
    const away = await resultOf('redirect');
    expect([away.statusCode, away.headers.location]).toEqual([
      302,
      'https://169.254.169.254/latest/meta-data/',
    ]);
    const bomb = await resultOf('gzip_bomb');
    const wire = await bomb.body.bytes();
    expect(wire.length).toBeLessThan(2_000_000);
    expect(() => gunzipSync(wire, { maxOutputLength: 100_000_000 })).toThrow('larger than 100000000');
    const huge = await resultOf('huge');
    let seen = 0;
    for await (const piece of huge.body) {
      seen += piece.length;
      if (seen > 3_000_000) break;
    }
    expect(seen).toBeGreaterThan(3_000_000);
  });

  test('end with the node, which closes at once, also with unfinished handshakes', async () => {
    const socket = connect(Number(new URL(sim.url).port), '127.0.0.1');
    await once(socket, 'connect');
    sim.knobs.hang = 'headers';
    const hanging = plain();
    hanging.catch(() => undefined);
    await expect.poll(() => sim.inFlight).toBe(1);
    const closed = once(socket, 'close');
    await restart({});
    await closed;
    await expect(hanging).rejects.toThrow();
  });

  test.each<[CertificateKind, string]>([
    ['expired', 'CERT_HAS_EXPIRED'],
    ['wrong_name', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['self_signed', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['unknown_ca', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ])('a certificate that is %s is reported as %s', async (kind, code) => {
    await restart({ certificate: kind });
    await expect(plain()).rejects.toMatchObject({ code });
  });
});
