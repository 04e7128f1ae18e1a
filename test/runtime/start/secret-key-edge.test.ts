import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Connection } from '../../../db/client.ts';
import { connectPg } from '../../../db/pg.ts';
import { readDatabaseCheck } from '../../../db/repositories/settings/secret-key-check.ts';
import { idempotencyKeys } from '../../../db/schema/jobs/idempotency-keys.ts';
import { installation } from '../../../db/schema/settings/installation.ts';
import { sites } from '../../../db/schema/sites/sites.ts';
import { createPortal, type Portal } from '../../../functions/portal.ts';
import { createSealer } from '../../../shared/kernel/crypto/sealing.ts';
import { assertSecretKey, secretKeyGate } from '../../../shared/runtime/config/secret-key.ts';
import { cachedBundles } from '../../../shared/tooling/build/cached-bundles.ts';
import { startLocalWorkers } from '../../../shared/tooling/workers/local-workers.ts';
import { type NeonProxy, startNeonProxy } from '../../support/database/neon-proxy.ts';
import { newSecretKey, newSigningKey } from '../../support/identity/signing-keys.ts';
import { awslambda, eventOf, invoke } from '../../support/lambda/runtime.ts';
import { adminPassword, startPortal, type TestPortal } from '../../support/portal.ts';
import { send } from '../../support/workers/local-workers.ts';

const [right, wrong] = [newSecretKey(), newSecretKey()];

let portal: TestPortal;
let connection: Connection;
let proxy: NeonProxy;
let token: string;
let ids: { right: string; wrong: string };

beforeAll(async () => {
  portal = await startPortal({ secretKeys: [right] });
  connection = connectPg({ url: portal.databaseUrl, maxConnections: 2 });
  proxy = await startNeonProxy({ databaseUrl: portal.databaseUrl });
  await assertSecretKey(connection.db, portal.deps.sealer);
  token = await portal.login();
  ids = {
    right: portal.deps.sealer.currentKeyId,
    wrong: (await createSealer([wrong])).currentKeyId,
  };
});
afterAll(async () => {
  await proxy?.close();
  await connection?.close();
  await portal?.close();
});

const variables = (secretKey: string) => ({
  BASE_URL: 'https://portal.example',
  LOG_LEVEL: 'error',
  SECRET_KEY: secretKey,
  AGGREGATOR_JWT_SSL_KEY: newSigningKey(),
});

/** Of each kind: public, with a session, a page, a write with an idempotency key, and without credentials. */
const requests = () => [
  { route: 'GET /api/auth/v7.0/authenticators' },
  { route: 'GET /api/webui/aggregator/sites', token },
  { route: 'GET /api/webui/aggregator/sites' },
  { route: 'GET /signin' },
  {
    route: 'POST /api/webui/aggregator/sites',
    token,
    body: { name: 'North', uri: 'north' },
    headers: { 'idempotency-key': 'once' },
  },
  {
    route: 'POST /api/auth/v7.0/login',
    body: { username: 'admin', password: adminPassword, authSmallName: 'builtin' },
  },
];

async function expectNothingWritten(): Promise<void> {
  expect(await connection.db.$count(sites)).toBe(0);
  expect(await connection.db.$count(idempotencyKeys)).toBe(0);
}

/** One log line for each refusal, which names both keys; the response does not. */
function expectRefusals(
  answers: readonly { status: number; body: unknown }[],
  lines: readonly string[],
): void {
  for (const { status, body } of answers) {
    expect({ status, body }).toMatchObject({
      status: 503,
      body: { code: 'database_unavailable', retryable: true },
    });
    expect(JSON.stringify(body)).not.toMatch(new RegExp(`SECRET_KEY|${ids.right}|${ids.wrong}`));
  }
  expect(lines).toHaveLength(answers.length);
  for (const line of lines)
    expect(JSON.parse(line)).toMatchObject({
      level: 'error',
      faults: [expect.stringMatching(new RegExp(`^SECRET_KEY: .*${ids.right}.*${ids.wrong}`))],
    });
}

describe('the Workers', { timeout: 120_000 }, () => {
  const ask = async (secretKey: string, asked = requests()) => {
    const bundles = await cachedBundles('workers');
    const lines: string[] = [];
    const workers = await startLocalWorkers({
      bundles,
      host: '127.0.0.1',
      port: 0,
      variables: {
        ...variables(secretKey),
        DATABASE_URL: 'postgres://worker:none@localhost/portal',
        DATABASE_DRIVER: 'neon',
        NEON_PROXY: proxy.url,
      },
      write: (line) => lines.push(line),
    });
    try {
      const answers = [];
      for (const { route, ...asking } of asked) answers.push(await send(workers.url, route, asking));
      await vi.waitFor(() =>
        expect(lines.length).toBeGreaterThanOrEqual(secretKey === wrong ? asked.length : 0),
      );
      return { answers, lines };
    } finally {
      await workers.stop();
    }
  };

  it('answer every request with 503 for another SECRET_KEY, and log the reason once', async () => {
    const { answers, lines } = await ask(wrong);
    expectRefusals(answers, lines);
    await expectNothingWritten();
  });

  it('serve with the right one, and write the check value of a database', async () => {
    await connection.db.update(installation).set({ secret_key_check: null });
    const { answers, lines } = await ask(right);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 401, 200, 201, 200]);
    expect(lines).toEqual([]);
    const { key: check } = await readDatabaseCheck(connection.db);
    expect(check?.split('.')[0]).toBe(ids.right);
    await connection.db.delete(sites);
    await connection.db.delete(idempotencyKeys);
  });
});

describe('a Lambda function', { timeout: 120_000 }, () => {
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.unstubAllGlobals();
  });

  it('answers every request with 503 for another SECRET_KEY, and logs the reason once', async () => {
    vi.stubGlobal('awslambda', awslambda);
    const bundles = await cachedBundles('lambda');
    const given = { ...variables(wrong), DATABASE_URL: portal.databaseUrl };
    for (const [name, value] of Object.entries(given)) vi.stubEnv(name, value);
    const errorLog = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const answers = [];
    for (const { route, ...asking } of requests()) {
      const module = route.includes('/webui/') ? 'webui' : 'auth';
      const file = bundles.find((bundle) => bundle.module === module)?.file;
      const { handler } = await import(/* @vite-ignore */ `file://${file}?wrong-key`);
      const { statusCode: status, body } = await invoke(handler, eventOf(route, asking));
      answers.push({ status, body: JSON.parse(body) });
    }
    const lines = errorLog.mock.calls.map(([line]) => String(line));
    errorLog.mockRestore();
    expectRefusals(answers, lines);
    await expectNothingWritten();
  });
});

describe('the check value in a module that is deployed alone', () => {
  it('costs the first request of a process one round trip, and the others none', async () => {
    const signedIn = { 'x-auth-token': await portal.login() };
    const background: Promise<unknown>[] = [];
    const tripsOf = async (served: Portal, headers: Record<string, string> = signedIn) => {
      await Promise.all(background.splice(0));
      await portal.settled();
      const before = portal.trips();
      const request = new Request('https://portal.test/api/webui/aggregator/sites', { headers });
      const { status } = await served.fetch(request, {
        client: { ip: '127.0.0.1', secure: true, loopback: false },
        background: (work) => void background.push(work),
      });
      return { status, trips: portal.trips() - before };
    };
    const [plain, gated] = [{ ...portal.deps }, { ...portal.deps, verifyKeys: secretKeyGate(portal.deps) }];
    const [unchecked, checked] = [createPortal(plain), createPortal(gated)];
    const { trips } = await tripsOf(unchecked);
    expect(await tripsOf(checked)).toEqual({ status: 200, trips: trips + 1 });
    const later = await tripsOf(unchecked);
    expect(await tripsOf(checked)).toEqual(later);
    expect(await tripsOf(checked, {})).toEqual({ status: 401, trips: 0 });
  });
});
