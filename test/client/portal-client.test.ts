import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ClientOptions,
  createPortalClient,
  isRefusal,
  type PortalClient,
  PortalError,
} from '../../shared/client/portal-client.ts';
import { serveNode } from '../../shared/runtime/node/server.ts';
import { unique } from '../support/factories.ts';
import { adminPassword, startPortal, type TestPortal } from '../support/portal.ts';

let portal: TestPortal;
let baseUrl: string;
let close: () => Promise<void>;
let admin: PortalClient;
let token: string;

beforeAll(async () => {
  portal = await startPortal();
  const serving = await serveNode({
    fetch: portal.portal.fetch,
    host: '127.0.0.1',
    port: 0,
    trustProxy: 0,
    log: portal.deps.log,
  });
  close = () => serving.close(1_000);
  baseUrl = `http://127.0.0.1:${serving.port}`;
  const { token: given } = await createPortalClient({ baseUrl }).call('login.create', {
    body: { username: 'admin', password: adminPassword, authSmallName: 'builtin' },
  });
  token = given;
  admin = createPortalClient({ baseUrl, token });
});
afterAll(async () => {
  await close?.();
  await portal?.close();
});

const site = () => ({ name: unique('Site'), uri: unique('site') });

/** A client whose requests and waits are recorded, and which fails as configured. */
function observed(goWrong: (request: Request, count: number) => Promise<Response | undefined>) {
  const sent: Request[] = [];
  const waits: number[] = [];
  const options: ClientOptions = {
    baseUrl,
    token,
    fetch: async (request) => {
      sent.push(request.clone());
      return (await goWrong(request, sent.length)) ?? fetch(request);
    },
    sleep: async (ms) => {
      waits.push(ms);
      portal.advance(ms / 1000);
    },
  };
  return {
    sent,
    waits,
    client: createPortalClient(options),
    with: (more: Partial<ClientOptions>) => createPortalClient({ ...options, ...more }),
  };
}

const problem = (status: number, code: string, headers: Record<string, string> = {}) =>
  Response.json(
    { type: `/api/errors/${code}`, title: code, status, detail: code, instance: '1', code, retryable: true },
    { status, headers: { 'content-type': 'application/problem+json', ...headers } },
  );

async function caught(work: Promise<unknown>): Promise<PortalError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof PortalError) return error;
  throw new Error(`no refusal but ${String(error)}`);
}

describe('a call of the client', () => {
  it('sends and returns the documented types', async () => {
    const wanted = site();
    const made = await admin.call('site.create', { body: { ...wanted, comments: 'By a client' } });
    expect(made).toMatchObject({ ...wanted, comments: 'By a client' });
    const read = await admin.call('site.get', { path: { id: made.id } });
    expect(read.uri).toBe(wanted.uri);
    expect(await admin.call('site.delete', { path: { id: made.id } })).toBeNull();
    const { items } = await admin.call('site.list', { query: { search: wanted.name } });
    expect(items).toEqual([]);
  });

  it('returns texts and bytes unchanged', async () => {
    expect(await admin.call('liveness.get')).toBe('ok');
    const picture = await admin.call('image.get', { path: { image_id: 'default' } });
    expect(picture).toBeInstanceOf(Uint8Array);
  });

  it('throws the problem with every error of the request', async () => {
    const error = await caught(admin.call('site.create', { body: { name: '', uri: 'Not A Slug' } }));
    expect(error).toMatchObject({ code: 'invalid_request', status: 422, retryable: false });
    expect(error.problem?.errors?.map(({ pointer }) => pointer).sort()).toEqual(['/name', '/uri']);
    if (!isRefusal('site.create', error)) throw error;
    const { code }: { code: 'invalid_request' | string } = error;
    expect(code).toBe('invalid_request');
  });

  it('throws an error with a code for refusals of agents as well', async () => {
    const error = await caught(admin.call('agent.test', { body: { token: 'x' } }));
    expect(error).toMatchObject({ code: 'invalid_token', status: 401, retryable: false, problem: undefined });
    expect(error.message).toMatch(/^The token/);
  });

  it('without a token is refused, and with a token it is accepted', async () => {
    const nobody = createPortalClient({ baseUrl });
    expect((await caught(nobody.call('userinfo.get'))).code).toBe('unauthenticated');
    expect((await nobody.withToken(token).call('userinfo.get')).name).toBe('admin');
  });

  it('escapes path parameters', async () => {
    const error = await caught(admin.call('site.get', { path: { id: '../sites?x=1' } }));
    expect(error.code).toBe('not_found');
  });

  it.each([
    '',
    '.',
    '..',
  ])('rejects "%s" as a path parameter, which would select another operation', async (uuid) => {
    const { sent, client } = observed(async () => undefined);
    await expect(client.call('user.delete', { path: { auth_uuid: 'a', uuid } })).rejects.toThrow(TypeError);
    expect(sent).toEqual([]);
  });

  it('follows no redirect, which would receive the token', async () => {
    const other = await serveNode({
      fetch: async () => new Response(null, { status: 301, headers: { location: `${baseUrl}/livez` } }),
      host: '127.0.0.1',
      port: 0,
      trustProxy: 0,
      log: portal.deps.log,
    });
    const elsewhere = createPortalClient({ baseUrl: `http://127.0.0.1:${other.port}`, token });
    expect(await caught(elsewhere.call('site.create', { body: site() }))).toMatchObject({ status: 301 });
    await other.close(1_000);
  });

  it('is aborted by its signal', async () => {
    const reason = new Error('enough');
    const options = { signal: AbortSignal.abort(reason) };
    await expect(admin.call('site.list', {}, options)).rejects.toBe(reason);
  });
});

describe('the pages of a list', () => {
  it('are read to the end, each item once', async () => {
    const name = unique('Paged');
    const uris = ['a', 'b', 'c', 'd', 'e'].map((letter) => `${unique('paged')}-${letter}`);
    for (const uri of uris) await admin.call('site.create', { body: { name: `${name} ${uri}`, uri } });
    const query = { search: name, limit: 2, sort: 'uri' } as const;
    const sizes: number[] = [];
    for await (const { items } of admin.pages('site.list', { query })) sizes.push(items.length);
    expect(sizes).toEqual([2, 2, 1]);
    const found: string[] = [];
    for await (const { uri } of admin.items('site.list', { query })) found.push(uri);
    expect(found).toEqual([...uris].sort());
  });

  it('are requested only when they are consumed', async () => {
    const { client, sent } = observed(async () => undefined);
    for await (const _ of client.pages('site.list', { query: { limit: 1 } })) break;
    expect(sent).toHaveLength(1);
  });
});

describe('a write with a lost response', () => {
  it('is sent again with its idempotency key, and takes effect once', async () => {
    const { client, sent } = observed(async (request, count) => {
      if (count > 1) return undefined;
      await fetch(request);
      throw new TypeError('the connection broke');
    });
    const wanted = site();
    const made = await client.call('site.create', { body: wanted });
    expect(made.uri).toBe(wanted.uri);
    const keys = sent.map(({ headers }) => headers.get('idempotency-key'));
    expect(keys).toHaveLength(2);
    expect(keys[0]).toMatch(/^[\da-f-]{36}$/);
    expect(keys[1]).toBe(keys[0]);
    const { items } = await client.call('site.list', { query: { search: wanted.name } });
    expect(items.map(({ id }) => id)).toEqual([made.id]);
  });

  it('can be continued by another process with the same key', async () => {
    const idempotencyKey = unique('key');
    const wanted = site();
    const first = await admin.call('site.create', { body: wanted }, { idempotencyKey });
    const again = await admin.call('site.create', { body: wanted }, { idempotencyKey });
    expect(again.id).toBe(first.id);
  });

  it('is not sent again when it is not repeatable', async () => {
    const { client, sent } = observed(async () => {
      throw new TypeError('the connection broke');
    });
    const body = { username: 'admin', password: 'x', authSmallName: 'builtin' };
    const error = await caught(client.call('login.create', { body }));
    expect(error).toMatchObject({ code: 'connection_failed', status: 0 });
    expect(sent).toHaveLength(1);
  });
});

describe('a client of a portal with a read replica', () => {
  it('sends the token of its last write with later reads', async () => {
    const tokens = ['first', 'second'];
    const { client, sent } = observed(async ({ method }) =>
      method === 'POST'
        ? Response.json({}, { status: 201, headers: { 'x-consistency-token': tokens.shift() ?? '' } })
        : Response.json({ items: [], next: null }),
    );
    for (const name of ['first tag', 'second tag']) {
      await client.call('tag.list');
      await client.call('tag.create', { body: { name } });
    }
    await client.call('tag.list');
    const received = sent.map(({ method, headers }) => [method, headers.get('x-consistency-token')]);
    expect(received).toEqual([
      ['GET', null],
      ['POST', null],
      ['GET', 'first'],
      ['POST', null],
      ['GET', 'second'],
    ]);
  });
});

describe('a temporary refusal', () => {
  it('by the rate limit of the session is retried after the seconds in Retry-After', async () => {
    const own = (
      await admin.call('login.create', {
        body: { username: 'admin', password: adminPassword, authSmallName: 'builtin' },
      })
    ).token;
    const limits = (value: number) => ({ body: { limits: { per_token_per_minute: { value } } } });
    await admin.call('systemParameters.replace', limits(2));
    const { client, waits } = observed(async () => undefined);
    const limited = client.withToken(own);
    for (let count = 0; count < 4; count += 1) await limited.call('userinfo.get');
    expect(waits.length).toBeGreaterThan(0);
    for (const wait of waits) expect(wait).toBeGreaterThanOrEqual(1_000);
    await client.call('systemParameters.replace', limits(6_000));
  });

  it('is retried the configured number of times, with growing delays', async () => {
    const { sent, waits, with: withOptions } = observed(async () => problem(503, 'database_unavailable'));
    const error = await caught(withOptions({ retries: 4 }).call('site.list'));
    expect([error.code, sent.length]).toEqual(['database_unavailable', 5]);
    const floors = [200, 400, 800, 1_600];
    expect(waits.map((wait, at) => wait >= (floors[at] ?? 0) && wait < 2 * (floors[at] ?? 0))).toEqual([
      true,
      true,
      true,
      true,
    ]);
  });

  it('of an action that was sent to a node is not retried, because its key is used up', async () => {
    const { client, sent } = observed(async () => problem(502, 'upstream_failed'));
    const path = { id: 'a', session_uuid: 'b' };
    const error = await caught(client.call('spsession.disconnect', { path }));
    expect([error.code, sent.length]).toEqual(['upstream_failed', 1]);
  });

  it('is retried by different clients at different times', async () => {
    const { waits, with: withOptions } = observed(async () =>
      problem(503, 'overloaded', { 'retry-after': '5' }),
    );
    await caught(withOptions({ retries: 3 }).call('site.list'));
    expect(new Set(waits).size).toBe(3);
    expect(Math.min(...waits)).toBeGreaterThan(5_000);
  });

  it('is thrown at once when the delay exceeds the maximum', async () => {
    const { client, sent, waits } = observed(async () =>
      problem(429, 'rate_limited', { 'retry-after': '300' }),
    );
    const error = await caught(client.call('site.list'));
    expect([error.retryAfterS, sent.length, waits]).toEqual([300, 1, []]);
  });

  it('of a proxy without a problem document is classified by its status', async () => {
    const { client, sent } = observed(async (_, count) =>
      count === 1 ? new Response('<h1>Bad gateway</h1>', { status: 502 }) : undefined,
    );
    expect((await client.call('userinfo.get')).name).toBe('admin');
    expect(sent).toHaveLength(2);
  });
});
