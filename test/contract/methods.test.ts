import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isPage } from '../../shared/http/declare/page-query.ts';
import type { TestPortal } from '../support/portal.ts';
import { listedOperations, operations, pathOf, type Registered } from './generated/described.ts';
import { type Credentials, createCredentials } from './support/credentials.ts';
import { expectProblem, expectRefusal } from './support/problems.ts';
import { startTypedPortal } from './support/typed-portal.ts';

let portal: TestPortal;
let token: string;
let credentials: Credentials;

beforeAll(async () => {
  portal = await startTypedPortal();
  token = await portal.login();
  credentials = await createCredentials(portal, token);
});
afterAll(() => portal.close());

const reads = operations.filter(({ method }) => method === 'GET');
/** Has an effect, and verifies its own credential late: HEAD ends after the query check. */
const judgesLate = 'ssa.messages';
/** One operation of each path, and the methods of the path. */
const addresses = [...Map.groupBy(listedOperations, ({ path }) => path)].flatMap(
  ([path, [first, ...others]]) =>
    first ? [{ path, first, methods: [first, ...others].map(({ method }) => method) }] : [],
);
const allowOf = (methods: readonly string[]): string[] =>
  [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].sort();
const sortedAllow = (headers: Headers): string[] => (headers.get('allow') ?? '').split(', ').sort();

describe('the HTTP methods of a path', () => {
  it.each(addresses)('$path are returned by OPTIONS, without a session', async ({ first, methods }) => {
    const answer = await portal.send(`OPTIONS ${pathOf(first)}`);
    expect(answer.status).toBe(204);
    expect(answer.body).toBe('');
    expect(sortedAllow(answer.headers)).toEqual(allowOf(methods));
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it.each(addresses)('$path are returned in the 405 of any other method, before any other check', async ({
    first,
    methods,
  }) => {
    const foreign = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'].filter(
      (method) => !methods.some((own) => own === method),
    );
    for (const method of foreign)
      for (const secure of [true, false]) {
        const answer = await portal.send(`${method} ${pathOf(first)}`, { token: 'x', secure });
        expectRefusal(answer, 'method_not_allowed', first);
        expect(sortedAllow(answer.headers)).toEqual(allowOf(methods));
      }
  });

  it('are not returned for an unknown path', async () => {
    for (const path of ['/', '/api', '/api/webui/aggregator/nothing', '/api/auth/v6.0/login', '/nothing'])
      for (const method of ['GET', 'PROPFIND', 'OPTIONS'])
        expectProblem(await portal.send(`${method} ${path}`, { token: 'x', secure: false }), 'not_found');
  });

  // HEAD of an operation with an effect ends after its input check, and does not read the object of the path.
  const shown = reads.filter(({ id }) => id !== 'connection.get' && id !== judgesLate);

  it.each(shown)('$id answers HEAD like GET, without a body', async (operation) => {
    for (const given of [token, undefined]) {
      const got = await portal.send(`GET ${pathOf(operation)}`, { token: given });
      const head = await portal.send(`HEAD ${pathOf(operation)}`, { token: given });
      expect(head.status).toBe(got.status);
      expect(head.body).toBe('');
      for (const name of [
        'content-type',
        'etag',
        'cache-control',
        'x-content-type-options',
        'www-authenticate',
      ])
        expect(head.headers.get(name)).toBe(got.headers.get(name));
    }
  });

  it.each(operations)('$id is available with and without a trailing slash', async (operation) => {
    const path = pathOf(operation);
    const other = path.endsWith('/') ? path.slice(0, -1) : `${path}/`;
    // Refused for its query, so that nothing happens.
    for (const address of [path, other, `${path}//`]) {
      const answer = await portal.send(`${operation.method} ${address}?x=1`, {
        token,
        body: operation.body && {},
        headers: credentials.of(operation),
      });
      // A page ignores the parameter.
      if (isPage(operation)) expect([200, 302, 303]).toContain(answer.status);
      else expectProblem(answer, 'invalid_request', operation);
    }
  });
});

/** Cacheable responses, by the type of their objects or by their operation. */
const keptFor: Record<string, string> = {
  'home.getIcon': 'public, max-age=86400',
  'home.getManifest': 'public, max-age=900',
  'home.getOffline': 'public, max-age=3600',
  'home.getWorker': 'no-cache',
  error: 'public, max-age=3600',
  image: 'private, max-age=3600',
  jwks: 'public, max-age=60',
  theme: 'private, max-age=15',
};

const usualTypes = ['application/json', 'application/problem+json', 'text/plain', 'image/svg+xml'];

describe('the headers of a response', () => {
  const send = (operation: Registered, id: string) =>
    portal.send(`${operation.method} ${pathOf(operation)}?x=1`, { headers: { 'x-request-id': id } });

  it.each(operations)('of $id echo a valid request id and no other', async (operation) => {
    for (const id of ['a', 'Z9._-'.repeat(25)])
      expect((await send(operation, id)).headers.get('x-request-id')).toBe(id);
    for (const id of ['', 'a b', 'a'.repeat(129), 'é', '<x>']) {
      const own = (await send(operation, id)).headers.get('x-request-id');
      expect(own).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  it.each(reads)('of $id have the cache control and the media type', async (operation) => {
    const { headers } = await portal.send(`GET ${pathOf(operation)}`, { token });
    const kept = keptFor[operation.id] ?? keptFor[operation.id.split('.')[0] ?? ''] ?? 'private, no-store';
    expect(headers.get('cache-control')).toBe(kept);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    const type = headers.get('content-type');
    // A response without a body has no media type.
    if (operation.returns[1] === null && !operation.alsoReturns) expect(type).toBeNull();
    else expect([...usualTypes, ...(operation.alsoReturns ?? [])]).toContain(type?.split(';')[0]);
  });

  it.each(reads)('of $id ignore a condition without a version', async (operation) => {
    const plain = await portal.send(`GET ${pathOf(operation)}`, { token });
    const asked = await portal.send(`GET ${pathOf(operation)}`, { token, headers: { 'if-none-match': '' } });
    expect(asked.status).toBe(plain.status);
  });
});
