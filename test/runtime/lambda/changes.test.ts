import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { connectPg } from '../../../db/pg.ts';
import { prepareInstallation } from '../../../shared/identity/first-start.ts';
import { createHasher } from '../../../shared/identity/passwords.ts';
import type { Bundle, EdgeModule } from '../../../shared/tooling/build/bundles.ts';
import { cachedBundles } from '../../../shared/tooling/build/cached-bundles.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database/database.ts';
import { changesPath } from '../../support/http/changes.ts';
import { configure, functionVariables } from '../../support/lambda/environment.ts';
import { awslambda, eventOf, type Handler, invoke, invokeStreaming } from '../../support/lambda/runtime.ts';

vi.setConfig({ testTimeout: 60_000 });
const password = 'correct horse battery staple';
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

/** @param instance functions run in instances of their own, one request at a time */
async function load(module: EdgeModule, instance: string): Promise<Handler> {
  const file = bundles.find((bundle) => bundle.module === module)?.file;
  return (await import(/* @vite-ignore */ `file://${file}?${instance}`)).handler;
}

async function logIn(): Promise<string> {
  const body = { username: 'admin', password, authSmallName: 'builtin' };
  const answer = await invoke(await load('auth', 'changes'), eventOf('POST /api/auth/v7.0/login', { body }));
  return JSON.parse(answer.body).token;
}

describe('a stream of changes from a Lambda function', () => {
  it('passes events on while the function runs, and ends with the session', async () => {
    const [watched, other] = [await logIn(), await logIn()];
    const webui = await load('webui', 'writes');
    const event = eventOf(`GET ${changesPath}`, { token: watched, headers: { accept: 'text/event-stream' } });
    const opened = Promise.withResolvers<void>();
    const announced = Promise.withResolvers<string>();
    let id = 'none';
    const streaming = invokeStreaming(await load('webui', 'stream'), event, (soFar) => {
      if (soFar.includes('event: reset')) opened.resolve();
      if (soFar.includes(id)) announced.resolve(soFar);
    });
    await opened.promise;
    const body = { name: 'Lambda', uri: 'lambda' };
    const made = await invoke(
      webui,
      eventOf('POST /api/webui/aggregator/sites', {
        token: other,
        body,
        headers: { 'content-type': 'application/json' },
      }),
    );
    expect(made.statusCode).toBe(201);
    id = JSON.parse(made.body).id;
    expect(await announced.promise).toContain(`data: {"kind":"site","id":"${id}"}`);
    await invoke(await load('auth', 'changes'), eventOf('POST /api/auth/v7.0/logout', { token: watched }));
    const { result } = await streaming;
    expect(result.statusCode).toBe(200);
    expect(result.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': expect.stringContaining('no-transform'),
    });
  });
});
