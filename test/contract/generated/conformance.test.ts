import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Schema } from '../../../shared/http/document/schemas.ts';
import { jsonTypeOf } from '../../../shared/http/serve/respond.ts';
import { type RunningServer, serveNode } from '../../../shared/runtime/node/server.ts';
import { startWorld, type World } from '../../support/factories.ts';
import { type Fleet, sessionOf, startFleet, workplaceOf } from '../../support/fleet/fleet.ts';
import { type ScimClient, startScim } from '../../support/identity/scim.ts';
import type { Json } from '../../support/portal.ts';
import { type Credentials, createCredentials } from '../support/credentials.ts';
import { liftLimits } from '../support/limits.ts';
import { createSessions } from '../support/sessions.ts';
import { expectConforming, type Reply } from './conforming.ts';
import { describedAs, everyOperation, isScim, type Registered, resolve } from './described.ts';
import { faultyBodies, oddWords, valuesOf } from './generated.ts';
import { bodySchemaOf, createGround, type Ground } from './ground.ts';

/** `CONFORMANCE_RUNS=300` sends that many requests to each operation; `CONFORMANCE_SEED` repeats a run. */
const runs = Number(process.env.CONFORMANCE_RUNS ?? 8);
const seed = Number(process.env.CONFORMANCE_SEED ?? 20_261_122);

let world: World;
let fleet: Fleet;
let serving: RunningServer;
let baseUrl: string;
let credentials: Credentials;
let ground: ReturnType<typeof createGround>;
let scim: ScimClient;
let roleless: string;
/** Identifiers that only a dispatcher can create. */
let known: Record<string, string>;
const tokens = new Map<string, string>();
const succeeded = new Set<string>();

/** Operations that end sessions or delete everything are last. */
const rank = ({ id }: Registered): number =>
  /bulkDestroy|^login\.|systemParameters\.replace|logout/i.test(id) ? 1 : 0;
const operations = everyOperation
  .filter(({ browser, form }) => browser === undefined && form === undefined)
  .sort((a, b) => rank(a) - rank(b));

beforeAll(async () => {
  process.stdout.write(`conformance: CONFORMANCE_SEED=${seed} CONFORMANCE_RUNS=${runs}\n`);
  world = await startWorld();
  const { portal } = world;
  await liftLimits(portal);
  fleet = await startFleet(world);
  serving = await serveNode({
    fetch: portal.portal.fetch,
    host: '127.0.0.1',
    port: 0,
    trustProxy: 0,
    log: portal.deps.log,
  });
  baseUrl = `http://127.0.0.1:${serving.port}`;
  const token = await portal.login();
  scim = await startScim(world);
  for (const operation of operations)
    tokens.set(operation.id, isScim(operation) ? scim.token : await portal.login());
  const sessions = await createSessions(portal, token);
  roleless = await sessions.withoutRole();
  // Those of the administrator are in use.
  tokens.set('userinfo.endOtherSessions', await sessions.withoutRole());
  credentials = await createCredentials(portal, token);
  ground = createGround(portal, token, { 'site.create': { authenticators: [world.domain.id] } }, scim);
  const pool = fleet.simulator.state.poolNamed('Office').uuid;
  known = {
    site_uri: fleet.site.uri,
    servicepool_uuid: pool,
    service_pool_uuid: pool,
    workplace_uuid: workplaceOf(fleet, 'Office', 1).uuid,
    session_uuid: sessionOf(fleet).session_uuid,
    farm_id: fleet.farm.id,
  };
}, 120_000);
afterAll(async () => {
  await serving?.close(1_000);
  await fleet?.simulator.close();
  await world?.portal.close();
});

type Call = {
  caller: 'administrator' | 'user' | 'none' | 'wrong';
  path: Record<string, string>;
  query: Record<string, string>;
  body: Json;
  headers: Record<string, string>;
};

const parametersOf = (operation: Registered): Json[] => describedAs(operation).parameters.map(resolve);

/** Requests that match the document, and requests with an error, for one operation. */
function callsOf(operation: Registered, at: Ground): fc.Arbitrary<Call> {
  const parameters = parametersOf(operation);
  const inPlace = (place: string) => parameters.filter((one) => one.in === place);
  const path = inPlace('path').map(({ name, schema }) => [name, segmentsOf(name, schema, at)] as const);
  const query = inPlace('query').map(({ name, schema }) => [name, wordsOf(name, schema)] as const);
  const headers = inPlace('header').map(({ name, schema }) => [name, headersOf(name, schema)] as const);
  const fitting = operation.body && fc.oneof(fc.constant(at.body), valuesOf(bodySchemaOf(operation), known));
  const body = fitting
    ? fc.oneof({ weight: 2, arbitrary: fitting }, faultyBodies(fitting))
    : fc.constant(undefined);
  const required = inPlace('query').flatMap(({ name, required: isRequired }) => (isRequired ? [name] : []));
  return fc.record({
    caller: fc.oneof(
      { weight: 6, arbitrary: fc.constant('administrator' as const) },
      fc.constantFrom('user' as const, 'none' as const, 'wrong' as const),
    ),
    path: fc.record(Object.fromEntries(path)),
    query: fc.oneof(
      {
        weight: 3,
        arbitrary: fc.record<Record<string, string>, string>(Object.fromEntries(query), {
          requiredKeys: required,
        }),
      },
      { weight: 2, arbitrary: fc.constant({}) },
      fc.dictionary(fc.constantFrom('no_such', 'limit', '__proto__'), oddWords, { maxKeys: 1 }),
    ),
    body,
    headers: fc.oneof(
      { weight: 2, arbitrary: fc.constant({}) },
      fc.record(Object.fromEntries(headers), { requiredKeys: [] }),
    ),
  });
}

function segmentsOf(name: string, schema: Schema, at: Ground): fc.Arbitrary<string> {
  // In the paths of actions the identifier is that of the farm, and pools have both.
  const own = at.values[name] ?? known[name] ?? (name === 'id' ? fleet.farm.id : undefined);
  const fitting = valuesOf(schema, {}).map(String);
  const any = fc.oneof(fitting, oddWords).filter((word) => !/^\.{0,2}$/.test(word));
  return own === undefined ? any : fc.oneof({ weight: 4, arbitrary: fc.constant(own) }, any);
}

function wordsOf(name: string, schema: Schema): fc.Arbitrary<string> {
  const fitting = known[name] === undefined ? valuesOf(schema, {}).map(String) : fc.constant(known[name]);
  return fc.oneof({ weight: 4, arbitrary: fitting }, oddWords);
}

/** `fetch` sends valid header values only. */
const headersOf = (name: string, schema: Schema): fc.Arbitrary<string> =>
  fc
    .oneof(
      { weight: 3, arbitrary: valuesOf(schema, {}).map(String) },
      fc.string({ minLength: 1, maxLength: 40 }),
    )
    .map((value) => (name.startsWith('If-') ? `"${value.replaceAll('"', '')}"` : value))
    .filter((value) => /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value));

async function send(operation: Registered, call: Call): Promise<Reply> {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(call.path[name] ?? ''),
  );
  const query = new URLSearchParams(call.query).toString();
  const token = {
    administrator: tokens.get(operation.id),
    user: roleless,
    none: undefined,
    wrong: 'x'.repeat(40),
  }[call.caller];
  const text = call.body === undefined ? undefined : JSON.stringify(call.body);
  const headers = {
    ...(token !== undefined &&
      (isScim(operation) ? { authorization: `Bearer ${token}` } : { 'x-auth-token': token })),
    ...(text !== undefined && { 'content-type': jsonTypeOf(operation) }),
    ...(call.caller === 'administrator' && credentials.of(operation)),
    ...call.headers,
  };
  const address = `${baseUrl}${path}${query && `?${query}`}`;
  const response = await fetch(address, {
    method: operation.method,
    redirect: 'manual',
    headers,
    ...(text !== undefined && { body: text }),
  });
  const sent = `${operation.method} ${path}?${query} ${JSON.stringify(call.headers)} ${call.caller} ${text ?? ''}`;
  return {
    sent: sent.slice(0, 1_500),
    status: response.status,
    headers: response.headers,
    text: await response.text(),
  };
}

describe('generated calls', () => {
  it.each(operations)('of $id get documented responses', { timeout: 600_000 }, async (operation) => {
    const at = await ground.of(operation);
    const conforms = fc.asyncProperty(callsOf(operation, at), async (call) => {
      const reply = await send(operation, call);
      if (reply.status < 300) succeeded.add(operation.id);
      expectConforming(operation, reply);
      await world.portal.settled();
    });
    await fc.assert(conforms, { seed, numRuns: runs, endOnFailure: true });
  });

  const json = 'application/json; charset=utf-8';
  it.each<[string, Partial<Reply>]>([
    ['a status that is not documented', { status: 402 }],
    ['a failure', { status: 500 }],
    ['another media type', { headers: new Headers({ 'content-type': 'text/html', 'x-request-id': 'a' }) }],
    ['a body that lacks members', { text: '{"items":[{}],"next":null}' }],
    ['a header of another form', { headers: new Headers({ 'content-type': json, 'x-request-id': 'a b' }) }],
    ['a header that is absent', { headers: new Headers({ 'content-type': json }) }],
  ])('are rejected with %s', (_, fault) => {
    const operation = operations.find(({ id }) => id === 'site.list');
    if (!operation) throw new Error('site.list is absent');
    const headers = new Headers({ 'content-type': json, 'x-request-id': 'a' });
    const reply: Reply = { sent: 'GET', status: 200, headers, text: '{"items":[],"next":null}' };
    expectConforming(operation, reply);
    expect(() => expectConforming(operation, { ...reply, ...fault })).toThrow();
  });

  it('include successes of most operations', () => {
    expect(succeeded.size / operations.length).toBeGreaterThan(0.5);
  });
});
