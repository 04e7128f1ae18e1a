import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isPage } from '../../../shared/http/declare/page-query.ts';
import { bodyLimitOf } from '../../../shared/http/serve/body-limits.ts';
import type { ErrorCode } from '../../../shared/kernel/errors.ts';
import type { Answer, SendOptions, TestPortal } from '../../support/portal.ts';
import { type Credentials, createCredentials } from '../support/credentials.ts';
import { codeIn, expectProblem, pointersIn } from '../support/problems.ts';
import { createSessions } from '../support/sessions.ts';
import { startTypedPortal } from '../support/typed-portal.ts';
import {
  answersInResultForm,
  bodyShown,
  isLiberal,
  operations,
  pathOf,
  type Registered,
} from './described.ts';

let portal: TestPortal;
let token: string;
let roleless: string;
let credentials: Credentials;

beforeAll(async () => {
  portal = await startTypedPortal();
  token = await portal.login();
  roleless = await (await createSessions(portal, token)).withoutRole();
  credentials = await createCredentials(portal, token);
});
afterAll(() => portal.close());

const withBody = operations.filter(({ body }) => body);
/** An unknown image is answered with the default one. */
const forgiving = ['image.get', 'image.getOfService'];
const withParameters = operations.filter(({ id, path }) => path.includes('{') && !forgiving.includes(id));
const inContent = { 'content-type': 'application/json' };

type Fault = SendOptions & { query?: string; params?: Record<string, string> };

/** A request of the administrator with a body that is valid except for the error. */
async function send(operation: Registered, { query = '', params = {}, headers, ...options }: Fault = {}) {
  const answer = await portal.send(`${operation.method} ${pathOf(operation, params)}${query}`, {
    token,
    body: bodyShown(operation),
    headers: { ...credentials.of(operation), ...headers },
    ...options,
  });
  if (answer.status === 200) await credentials.renew(operation);
  return answer;
}

const oversized = (operation: Registered): string => `{"x":"${'a'.repeat(bodyLimitOf(operation))}"}`;
/** Values that match no identifier; other parameters have no object of this name. */
const nowhere = (operation: Registered): Record<string, string> =>
  Object.fromEntries(
    [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, 'no-such-thing']),
  );

/** An operation for agents by GET, whose query has the role of the body. */
const ofAgents = 'agent.notify';

/** This error and no other. */
function expectFault(answer: Answer, operation: Registered, fault: { pointer: string; code: string }): void {
  expectProblem(answer, 'invalid_request', operation);
  if (answersInResultForm(operation)) expect(pointersIn(answer)).toEqual([fault.pointer]);
  else expect(answer.body.errors).toEqual([expect.objectContaining(fault)]);
}

describe('a request body', () => {
  it.each(withBody)('of $id is required when it is declared as required', async (operation) => {
    const answer = await send(operation, { body: undefined });
    if (operation.body && 'optional' in operation.body)
      return expect(codeIn(answer)).not.toBe('invalid_request');
    expectProblem(answer, 'invalid_request', operation);
    expectFault(answer, operation, { pointer: '', code: 'required' });
  });

  it.each(withBody)('of $id must be JSON, an object, and have unique keys', async (operation) => {
    for (const body of [
      '{',
      'null',
      '[]',
      '"text"',
      '{"a":1,"a":2}',
      '{"a":{"b":1,"\\u0062":2}}',
      '{"a":NaN}',
    ])
      expectProblem(await send(operation, { body }), 'malformed_json', operation);
  });

  it.each(withBody)('of $id must keep to the limits of JSON', async (operation) => {
    const deep = `{"a":${'['.repeat(32)}${']'.repeat(32)}}`;
    expectFault(await send(operation, { body: deep }), operation, {
      pointer: `/a${'/0'.repeat(31)}`,
      code: 'too_many_levels',
    });
    const members = `{${Array.from({ length: 1_001 }, (_, at) => `"m${at}":0`).join()}}`;
    const wide = await send(operation, { body: members });
    expectFault(wide, operation, { pointer: '', code: 'too_many_members' });
    if (bodyLimitOf(operation) < 50_000) return;
    const long = await send(operation, { body: `{"a":[${Array(20_000).fill('0').join()}]}` });
    expectFault(long, operation, { pointer: '', code: 'too_many_values' });
  });

  it.each(withBody)('of $id is rejected with at most 100 errors', async (operation) => {
    const unknown = Object.fromEntries(Array.from({ length: 900 }, (_, at) => [`m${at}`, '\0']));
    const answer = await send(operation, { body: unknown });
    expectProblem(answer, 'invalid_request', operation);
    if (!answersInResultForm(operation)) expect(answer.body.errors).toHaveLength(100);
  });

  it.each(withBody)('of $id must be of a supported media type', async (operation) => {
    for (const type of [
      'text/plain',
      'application/xml',
      'application/jsonx',
      'multipart/form-data; boundary=x',
      '',
    ])
      expectProblem(
        await send(operation, { body: '{}', headers: { 'content-type': type } }),
        'unsupported_media_type',
        operation,
      );
    for (const type of ['Application/JSON; charset=utf-8', 'application/merge-patch+json'])
      expectProblem(
        await send(operation, { body: '{', headers: { 'content-type': type } }),
        'malformed_json',
        operation,
      );
  });

  it.each(withBody)('of $id must not be compressed', async (operation) => {
    for (const coding of ['gzip', 'identity, br', 'deflate'])
      expectProblem(
        await send(operation, { body: '{', headers: { ...inContent, 'content-encoding': coding } }),
        'unsupported_media_type',
        operation,
      );
    const headers = { ...inContent, 'content-encoding': 'Identity' };
    expectProblem(await send(operation, { body: '{', headers }), 'malformed_json', operation);
  });

  it.each(withBody)('of $id must not be too large, whatever its declared length', async (operation) => {
    for (const headers of [inContent, { ...inContent, 'content-length': '2' }]) {
      const answer = await send(operation, { body: oversized(operation), headers });
      expectProblem(answer, 'body_too_large', operation);
      if (!answersInResultForm(operation)) expect(answer.body.limit_bytes).toBe(bodyLimitOf(operation));
    }
    const headers = { ...inContent, 'content-length': String(bodyLimitOf(operation) + 1) };
    expectProblem(await send(operation, { body: '{}', headers }), 'body_too_large', operation);
  });

  it.each(
    withBody,
  )('of $id must not have unknown properties or texts that cannot be stored', async (operation) => {
    const unknown = [
      ['no_such_member', 1, 'unknown'],
      ['__proto__x', {}, 'unknown'],
    ] as const;
    for (const [name, value, code] of [
      ...(isLiberal(operation) ? [] : unknown),
      ['name', 'a\0b', 'invalid_text'],
    ] as const) {
      const answer = await send(operation, { body: { ...bodyShown(operation), [name]: value } });
      expectProblem(answer, 'invalid_request', operation);
      if (answersInResultForm(operation)) expect(pointersIn(answer)).toContain(`/${name}`);
      else expect(JSON.stringify(answer.body.errors)).toContain(code);
    }
  });
});

describe('a request query', () => {
  it.each(
    operations.filter((operation) => operation.id !== ofAgents && !isPage(operation)),
  )('of $id must not have unknown parameters', async (operation) => {
    const answer = await send(operation, { query: '?no_such_parameter=1' });
    expectFault(answer, operation, { pointer: '?no_such_parameter', code: 'unknown' });
  });

  it.each(
    operations.filter((operation) => !isPage(operation)),
  )('of $id must not repeat a parameter', async (operation) => {
    const answer = await send(operation, { query: '?limit=1&limit=2' });
    expectProblem(answer, 'invalid_request', operation);
    expect(pointersIn(answer)).toContain('?limit');
    if (answersInResultForm(operation)) return;
    expect(answer.body.errors).toContainEqual(
      expect.objectContaining({ pointer: '?limit', code: 'repeated' }),
    );
  });

  it.each(
    operations.filter(({ returns, query }) => query && returns[1] && 'cursor' in shapeOf(query)),
  )('of $id must have a cursor of the same list', async (operation) => {
    expectProblem(await send(operation, { query: '?cursor=made-up' }), 'malformed_cursor', operation);
  });
});

const shapeOf = (shape: object): object => Object(Reflect.get(shape, 'shape'));

describe('a request path', () => {
  it.each(withParameters)('of $id must name an existing object', async (operation) => {
    expectProblem(await send(operation, { params: nowhere(operation) }), 'not_found', operation);
    for (const [name] of Object.entries(nowhere(operation)))
      expectProblem(await send(operation, { params: { [name]: '%00' } }), 'not_found', operation);
  });
});

/** A request with two errors is refused for the first check. */
describe('the order of checks', () => {
  const first = (code: ErrorCode, operation: Registered, fault: Fault) =>
    send(operation, fault).then((answer) => expectProblem(answer, code, operation));
  const text = { body: '{', headers: { 'content-type': 'text/plain' } };

  it.each(operations)('of $id is https, session, permission', async (operation) => {
    await first('https_required', operation, { token: 'x', secure: false });
    const wrong = { ...(operation.body && text), query: '?x=1', params: nowhere(operation) };
    await first('https_required', operation, { ...wrong, secure: false });
    if (operation.access === 'public') return;
    await first('invalid_token', operation, { ...wrong, token: 'x' });
    await first('unauthenticated', operation, { ...wrong, token: undefined });
    if (operation.access !== 'signed-in') await first('forbidden', operation, { ...wrong, token: roleless });
  });

  it.each(withBody)('of $id is media type, size, syntax, schema', async (operation) => {
    const params = nowhere(operation);
    await first('unsupported_media_type', operation, { ...text, params, query: '?x=1' });
    await first('body_too_large', operation, {
      body: oversized(operation).slice(0, -1),
      params,
      query: '?x=1',
    });
    await first('malformed_json', operation, { body: '{', params, query: '?x=1' });
    if (isLiberal(operation)) return;
    await first('invalid_request', operation, { body: { no_such_member: 1 }, params });
  });

  it.each(withParameters)('of $id is query, row', async (operation) => {
    const ifMatch = { headers: { ...(operation.body && inContent), 'if-match': '"0.stale"' } };
    await first('invalid_request', operation, { ...ifMatch, query: '?x=1', params: nowhere(operation) });
    await first('not_found', operation, { ...ifMatch, params: nowhere(operation) });
  });

  it('reports all schema errors at once', async () => {
    const body = { name: '', uri: 'Not A Slug', priority: -1, extra: true };
    const { body: problem } = await portal.send('POST /api/webui/aggregator/sites?x=1&y=2', { token, body });
    expect(problem.errors.map(({ pointer }: { pointer: string }) => pointer).sort()).toEqual(
      ['/extra', '/name', '/priority', '/uri', '?x', '?y'].sort(),
    );
  });
});
