import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newSessionAgentToken } from '../../../shared/access/agent-tokens.ts';
import { type Api, createApi } from '../../e2e/support/api.ts';
import {
  bareVariables,
  freePorts,
  type PortalProcess,
  startPortal,
} from '../../e2e/support/portal-process.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database/database.ts';
import {
  callNames,
  expectTooLarge,
  type LimitedCall,
  type LimitedCalls,
  padded,
  prepareLimitedCalls,
  wide,
} from '../../support/http/limited-calls.ts';
import {
  chunked,
  chunksOf,
  connectRaw,
  flood,
  headOf,
  lastChunk,
  type RawClient,
} from '../../support/http/raw-client.ts';
import { newKeyVariables } from '../../support/identity/signing-keys.ts';

const password = 'correct horse battery staple';
const mebibyte = 1_048_576;

let folder: string;
let database: FreshDatabase;
let portal: PortalProcess;
let api: Api;
let calls: LimitedCalls;
const clients: RawClient[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aggregator-bodies-'));
  database = await freshDatabase();
  portal = await startPortal({
    env: {
      ...bareVariables(folder, await freePorts(2)),
      DATABASE_URL: database.url,
      ADMIN_PASSWORD: password,
      ...newKeyVariables(),
    },
  });
  const { base_url, ca_file } = portal.announcement;
  api = createApi(base_url, readFileSync(ca_file, 'utf8'));
  calls = await prepareLimitedCalls({
    databaseUrl: database.url,
    password,
    send: (route, { token = '', body }) => api.send(route, { token, body }),
  });
}, 90_000);
afterEach(() => {
  for (const { socket } of clients.splice(0)) socket.destroy();
});
afterAll(async () => {
  await api?.close();
  await portal?.stop();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

/** A connection with a started request. */
async function begin(call: Pick<LimitedCall, 'route' | 'headers'>, framing: string): Promise<RawClient> {
  const client = await connectRaw(portal.announcement.base_url);
  clients.push(client);
  client.socket.write(headOf(call, framing));
  return client;
}

/** The response to another request on the same connection. */
async function next({ socket, answer }: RawClient): Promise<number> {
  socket.write('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n');
  return (await answer()).status;
}

const residentBytes = (): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${portal.announcement.pid}/status`, 'utf8'))?.[1]) * 1_024;

describe('a request body on Node', () => {
  it.each(callNames)('of %s is accepted up to its exact size limit', async (name) => {
    const call = calls[name];
    const exchange = async (body: Buffer) => {
      const client = await begin(call, chunked);
      client.socket.write(chunksOf(body));
      client.socket.write(lastChunk);
      const answer = await client.answer();
      // The rest of the body is not part of the next request.
      expect(await next(client)).toBe(200);
      return answer;
    };
    expect(await exchange(padded(call, call.limit))).toMatchObject({ status: call.accepted });
    for (const body of [padded(call, call.limit + 1), wide(call), padded(call, call.limit + 5 * mebibyte)])
      expectTooLarge(await exchange(body), call);
  });

  it.each(callNames)('of %s is rejected by its declared length before it is sent', async (name) => {
    const call = calls[name];
    expectTooLarge(await (await begin(call, `Content-Length: ${call.limit + 1}`)).answer(), call);
  });

  it.each(callNames)('of %s without an end is rejected while it is sent', async (name) => {
    const call = calls[name];
    const client = await begin(call, chunked);
    flood(client);
    expectTooLarge(await client.answer(), call);
    await client.closed;
    // 16 MiB are discarded after the response; the rest is in buffers of the operating system.
    expect(client.sent()).toBeLessThan(48 * mebibyte);
  });

  it.each([
    'keep-alive',
    'close',
  ])('is rejected for a client that sends all of it before it reads: Connection: %s', async (connection) => {
    const call = calls['an ordinary call'];
    const client = await begin({ ...call, headers: { ...call.headers, connection } }, chunked);
    client.socket.pause();
    const all = Buffer.concat([chunksOf(padded(call, 8 * mebibyte)), Buffer.from(lastChunk)]);
    await new Promise((resolve) => client.socket.write(all, resolve));
    client.socket.resume();
    expectTooLarge(await client.answer(), call);
  });

  it('uses no memory beyond its limit', async () => {
    const call = calls['an ordinary call'];
    const flooded = async (): Promise<void> => {
      const client = await begin(call, chunked);
      flood(client);
      await client.closed;
    };
    await flooded();
    const before = residentBytes();
    let sent = 0;
    for (let times = 0; times < 25; times++) {
      await flooded();
      sent += clients.at(-1)?.sent() ?? 0;
    }
    expect(sent).toBeGreaterThan(400 * mebibyte);
    expect(residentBytes() - before).toBeLessThan(150 * mebibyte);
  }, 60_000);
});

describe('the Node server', () => {
  it.each([
    'Content-Length: 65536',
    chunked,
  ])('refuses a session agent by its credential before it reads the body: %s', async (framing) => {
    const { route } = calls['a session agent'];
    const headers = { authorization: `Bearer ${newSessionAgentToken()}` };
    const { status, body } = await (await begin({ route, headers }, framing)).answer();
    expect([status, body.error]).toEqual([401, expect.stringMatching(/^invalid_token: /)]);
  });

  it('refuses a caller without a session before it reads the body', async () => {
    const { route } = calls['an ordinary call'];
    const client = await begin({ route, headers: {} }, chunked);
    expect(await client.answer()).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
    // The body may still arrive, and the connection is reused.
    client.socket.write(chunksOf(Buffer.alloc(mebibyte, ' ')));
    client.socket.write(lastChunk);
    expect(await next(client)).toBe(200);
  });
});
