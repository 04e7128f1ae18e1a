import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { connectPg } from '../../../db/pg.ts';
import { newSessionAgentToken } from '../../../shared/access/agent-tokens.ts';
import { prepareInstallation } from '../../../shared/identity/first-start.ts';
import { createHasher } from '../../../shared/identity/passwords.ts';
import type { Bundle, EdgeModule } from '../../../shared/tooling/build/bundles.ts';
import { cachedBundles } from '../../../shared/tooling/build/cached-bundles.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database/database.ts';
import {
  callNames,
  expectTooLarge,
  type LimitedCalls,
  type LimitedResponse,
  padded,
  prepareLimitedCalls,
  wide,
} from '../../support/http/limited-calls.ts';
import { configure, functionVariables } from '../../support/lambda/environment.ts';
import { eventOf, type LambdaRequest, restEventOf } from '../../support/lambda/events.ts';
import { awslambda, invoke } from '../../support/lambda/runtime.ts';

const password = 'correct horse battery staple';

let database: FreshDatabase;
let bundles: Bundle[];
let calls: LimitedCalls;

type Form = readonly [name: string, toEvent: (request: LambdaRequest) => unknown, contentType: string];

/** Encoding of API Gateway: text stays text for an HTTP API, everything else is base64. */
const asText: Form = ['an HTTP API, as text', eventOf, 'application/json'];
const forms: readonly Form[] = [
  asText,
  ['an HTTP API, in base64', eventOf, 'application/merge-patch+json'],
  ['a REST API', restEventOf, 'application/json'],
];

beforeAll(async () => {
  vi.stubGlobal('awslambda', awslambda);
  database = await freshDatabase();
  bundles = await cachedBundles('lambda');
  configure(functionVariables(database.url));
  const { db, close } = connectPg({ url: database.url });
  await prepareInstallation(db, createHasher({ cost: 2 ** 4 }), password).finally(close);
  calls = await prepareLimitedCalls({
    databaseUrl: database.url,
    password,
    send: (route, { token, body }) =>
      ask(route.includes('/auth/') ? 'auth' : 'webui', asText, {
        route,
        headers: token ? { 'x-auth-token': token } : {},
        body: Buffer.from(JSON.stringify(body)),
      }),
  });
}, 60_000);
afterAll(async () => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  await database?.drop();
});

type Asked = Pick<LambdaRequest, 'headers' | 'body'> & { route: string };

async function ask(
  module: EdgeModule,
  [, toEvent, type]: Form,
  { route, headers, body }: Asked,
): Promise<LimitedResponse> {
  const { handler } = await import(
    /* @vite-ignore */ `file://${bundles.find((bundle) => bundle.module === module)?.file}`
  );
  const [method = '', path = ''] = route.split(' ');
  const event = toEvent({
    ...{ method, path, sourceIp: '198.51.100.7' },
    headers: { host: 'portal.example', 'content-type': type, ...headers },
    ...(body && { body }),
  });
  const { statusCode, headers: own, ...result } = await invoke(handler, event);
  const { 'content-type': single = '' } = own ?? {};
  const contentType = single || Reflect.get(result, 'multiValueHeaders')?.['content-type']?.[0];
  return { status: statusCode, contentType, body: JSON.parse(result.body) };
}

describe.each(forms)('the body of a Lambda function behind %s', (...form) => {
  it.each(callNames)('of %s is accepted up to its exact size limit', async (name) => {
    const call = calls[name];
    const { module, route, headers, limit } = call;
    const withBody = (body: Buffer, more: Record<string, string> = {}) =>
      ask(module, form, { route, headers: { ...headers, ...more }, body });
    expect(await withBody(padded(call, limit))).toMatchObject({ status: call.accepted });
    for (const body of [padded(call, limit + 1), wide(call)]) {
      expectTooLarge(await withBody(body), call);
      // API Gateway passes the header of the client unchanged.
      expectTooLarge(await withBody(body, { 'content-length': String(body.length) }), call);
    }
  });

  it('is not read before the credential of a session agent is verified', async () => {
    const call = calls['a session agent'];
    const headers = { authorization: `Bearer ${newSessionAgentToken()}` };
    const body = padded(call, call.limit + 1);
    expect(await ask('ssa', form, { route: call.route, headers, body })).toMatchObject({ status: 401 });
  });
});
