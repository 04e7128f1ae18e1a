import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newSessionAgentToken } from '../../../shared/access/agent-tokens.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database/database.ts';
import {
  callNames,
  expectTooLarge,
  type LimitedCall,
  type LimitedCalls,
  type LimitedResponse,
  padded,
  prepareLimitedCalls,
  wide,
} from '../../support/http/limited-calls.ts';
import { chunked, chunksOf, connectRaw, headOf } from '../../support/http/raw-client.ts';
import { type LocalPortal, startWorkers, workersVariables } from '../../support/workers/local-workers.ts';

const password = 'correct horse battery staple';

let folder: string;
let database: FreshDatabase;
let portal: LocalPortal;
let calls: LimitedCalls;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aggregator-bodies-'));
  database = await freshDatabase();
  portal = await startWorkers(await workersVariables({ folder, databaseUrl: database.url, password }));
  calls = await prepareLimitedCalls({ databaseUrl: database.url, password, send: portal.send });
}, 90_000);
afterAll(async () => {
  await portal?.stop();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

async function ask(
  { route, headers }: Pick<LimitedCall, 'route' | 'headers'>,
  body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
): Promise<LimitedResponse> {
  const [method = '', path = ''] = route.split(' ');
  const response = await fetch(portal.url + path, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body,
    ...(body instanceof ReadableStream && { duplex: 'half' }),
  });
  return {
    status: response.status,
    contentType: response.headers.get('content-type'),
    body: await response.json(),
  };
}

/** Without a declared length, so that the reader has to count. */
const streamed = (bytes: Uint8Array): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += 4_096) controller.enqueue(bytes.subarray(at, at + 4_096));
      controller.close();
    },
  });

const kinds = [
  ['with its length', (bytes: Uint8Array<ArrayBuffer>) => bytes],
  ['in pieces', streamed],
] as const;

describe.each(kinds)('the body of a Worker request sent %s', (_, sent) => {
  it.each(callNames)('of %s is accepted up to its exact size limit', async (name) => {
    const call = calls[name];
    expect(await ask(call, sent(padded(call, call.limit)))).toMatchObject({ status: call.accepted });
    for (const body of [padded(call, call.limit + 1), wide(call)])
      expectTooLarge(await ask(call, sent(body)), call);
  });
});

/** It begins and never ends. */
const stalled = (): ReadableStream<Uint8Array> =>
  new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from('{"a":"')) });

describe('a Worker', () => {
  it.each(callNames)('rejects a body of %s that is too large before it has ended', async (name) => {
    const call = calls[name];
    const client = await connectRaw(portal.url);
    client.socket.write(headOf(call, chunked));
    client.socket.write(chunksOf(padded(call, call.limit + 1)));
    expectTooLarge(await client.answer(), call);
    client.socket.destroy();
  });

  it('refuses a session agent by its credential before it reads the body', async () => {
    const { route } = calls['a session agent'];
    const headers = { authorization: `Bearer ${newSessionAgentToken()}` };
    const { status, body } = await ask({ route, headers }, stalled());
    expect([status, body]).toEqual([
      401,
      expect.objectContaining({ error: expect.stringMatching(/^invalid_token/) }),
    ]);
  });

  it('refuses a caller without a session before it reads the body', async () => {
    const { route } = calls['an ordinary call'];
    expect(await ask({ route, headers: {} }, stalled())).toMatchObject({ status: 401 });
  });

  it('works normally after all of these', () => {
    expect(portal.errors.filter((line) => /"level":"error"|hanging|Uncaught/.test(line))).toEqual([]);
  });
});
