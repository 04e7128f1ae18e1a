import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { connectPg } from '../../../db/pg.ts';
import { dispatchers } from '../../../db/schema/sites/dispatchers.ts';
import { prepareInstallation } from '../../../shared/identity/first-start.ts';
import { createHasher } from '../../../shared/identity/passwords.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import type { Bundle, EdgeModule } from '../../../shared/tooling/build/bundles.ts';
import { cachedBundles } from '../../../shared/tooling/build/cached-bundles.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database/database.ts';
import { addFarm, addSite } from '../../support/installation.ts';
import { configure, functionVariables } from '../../support/lambda/environment.ts';
import { awslambda, eventOf, type Handler, invoke, invokeStreaming } from '../../support/lambda/runtime.ts';

const password = 'correct horse battery staple';
const bufferedLimit = 6 * 2 ** 20;

let database: FreshDatabase;
let bundles: Bundle[];
let connection: ReturnType<typeof connectPg>;

beforeAll(async () => {
  vi.stubGlobal('awslambda', awslambda);
  database = await freshDatabase();
  bundles = await cachedBundles('lambda');
  connection = connectPg({ url: database.url });
  await prepareInstallation(connection.db, createHasher({ cost: 2 ** 4 }), password);
  configure(functionVariables(database.url));
});
afterAll(async () => {
  await connection?.close();
  await database?.drop();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

async function load(module: EdgeModule): Promise<Handler> {
  const file = bundles.find((bundle) => bundle.module === module)?.file;
  return (await import(/* @vite-ignore */ `file://${file}?streaming`)).handler;
}

async function logIn(): Promise<string> {
  const body = { username: 'admin', password, authSmallName: 'builtin' };
  const answer = await invoke(await load('auth'), eventOf('POST /api/auth/v7.0/login', { body }));
  return JSON.parse(answer.body).token;
}

/** Nodes of one farm, each with a file of certificates; together larger than a buffered response may be. */
async function addFatDispatchers(): Promise<void> {
  const farmId = await addFarm(connection.db, (await addSite(connection.db)).id);
  const pem = `-----BEGIN CERTIFICATE-----\n${'A'.repeat(15_000)}\n-----END CERTIFICATE-----\n`;
  const rows = Array.from({ length: 500 }, () => newId()).map((id) => {
    const name = `node-${id}`;
    return { id, name, name_key: name, farm_id: farmId, url: `https://${id}.example`, ca_certificate: pem };
  });
  await connection.db.insert(dispatchers).values(rows);
}

describe('a module with large answers as a Lambda function', () => {
  it('streams a page that is too large for a buffered response', async () => {
    await addFatDispatchers();
    const event = eventOf('GET /api/webui/aggregator/dispatchers', {
      token: await logIn(),
      query: 'limit=500',
    });
    const { result, pieces, contentType } = await invokeStreaming(await load('webui'), event);
    expect(contentType).toBe('application/vnd.awslambda.http-integration-response');
    expect(result).toMatchObject({ statusCode: 200, cookies: [] });
    expect(result.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-request-id': expect.any(String),
      'cache-control': 'private, no-store',
    });
    expect(result.body.length).toBeGreaterThan(bufferedLimit);
    expect(JSON.parse(result.body).items).toHaveLength(500);
    expect(pieces).toBeGreaterThan(10);
  });

  it.each([
    ['webui', 'GET /api/webui/aggregator/sites', 401],
    ['webui', 'OPTIONS /api/webui/aggregator/sites', 204],
    ['webui', 'GET /api/webui/aggregator/nothing', 404],
    ['client', 'GET /aggregator/api/client/v7.0/north/servicesList', 401],
  ] as const)('streams short answers as well: %s, %s', async (module, route, status) => {
    const { result } = await invokeStreaming(await load(module), eventOf(route));
    expect(result.statusCode).toBe(status);
    expect(result.headers['x-request-id']).toBeDefined();
    if (status !== 204) expect(JSON.parse(result.body)).toMatchObject({ status });
  });

  it.each([
    'agent',
    'auth',
    'discover',
    'ssa',
    'userinfo',
  ] as const)('does not stream the module of %s, which any gateway can call', async (name) => {
    await expect(invokeStreaming(await load(name), eventOf('GET /'))).rejects.toThrow('does not stream');
  });
});

describe('a streamed response', () => {
  it('is sent as it is produced, headers first, with every cookie', async () => {
    const { streamingLambdaOf } = await import('../../../shared/runtime/edge/lambda.ts');
    const { discoverDeps } = await import('../../../functions/discover/deps.ts');
    const body = new TransformStream<Uint8Array, Uint8Array>();
    const writer = body.writable.getWriter();
    const headers: [string, string][] = [
      ['set-cookie', 'a=1; Secure'],
      ['set-cookie', 'b=2; Secure'],
    ];
    const fetch = async () => new Response(body.readable, { status: 201, headers });
    const handler: unknown = streamingLambdaOf({
      create: () => ({ name: 'discover', operations: [], fetch }),
      depsOf: discoverDeps,
    });
    const say = (text: string) => writer.write(new TextEncoder().encode(text));
    const heard: string[] = [];
    const asked = invokeStreaming(handler as Handler, eventOf('GET /'), (soFar) => {
      // The stream continues only after its data was received: a response that is buffered until its end would never end.
      if (soFar.endsWith('one') && heard.push('one') === 1) void say(' two');
      if (soFar.endsWith('two') && heard.push('two') === 2) void writer.close();
    });
    await say('one');
    const { result } = await asked;
    expect(heard).toEqual(['one', 'two']);
    expect(result).toEqual({
      statusCode: 201,
      headers: { 'strict-transport-security': 'max-age=31536000' },
      cookies: ['a=1; Secure', 'b=2; Secure'],
      body: 'one two',
    });
  });
});
