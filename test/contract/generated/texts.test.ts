import { afterAll, beforeAll, expect, it } from 'vitest';
import { bodyLimitOf } from '../../../shared/http/serve/body-limits.ts';
import { jsonTypeOf } from '../../../shared/http/serve/respond.ts';
import { providerBody, startWorld, type World } from '../../support/factories.ts';
import { type ScimClient, startScim } from '../../support/identity/scim.ts';
import { adminPassword, type Json, type SendOptions } from '../../support/portal.ts';
import { type Credentials, createCredentials } from '../support/credentials.ts';
import { liftLimits, setParameters } from '../support/limits.ts';
import { codeIn } from '../support/problems.ts';
import { createSessions } from '../support/sessions.ts';
import { faultsIn } from '../support/unharmed.ts';
import {
  describedAs,
  documentedCodes,
  everyOperation,
  isScim,
  pathOf,
  type Registered,
  resolve,
} from './described.ts';
import { bodySchemaOf, createGround, type Ground } from './ground.ts';
import { placesOf } from './hostile.ts';
import { bytesOf, encodedTexts, hasTexts, someOf, textsOfMember, textsOfParameter } from './texts.ts';

let world: World;
let scim: ScimClient;
let credentials: Credentials;
let ground: ReturnType<typeof createGround>;
/** A person without rights, who can end the own sessions. */
let newSession: () => Promise<string>;
let address = 0;

/** No sign-in is refused before it reaches the database. */
const quotas = {
  'lockout.max_tries': 100,
  'lockout.account_per_hour': 100_000,
  'lockout.ip_per_minute': 100_000,
  'lockout.overall_per_minute': 1_000_000,
};

beforeAll(async () => {
  world = await startWorld();
  const { portal } = world;
  await liftLimits(portal);
  await setParameters(portal, quotas);
  const token = await portal.login();
  const { body: domain } = await world.admin(
    'POST /api/webui/aggregator/authenticators',
    // Nothing listens there.
    providerBody({ issuer: 'https://127.0.0.1:1', client_secret: 'a secret' }),
  );
  scim = await startScim(world, domain);
  credentials = await createCredentials(portal, token);
  newSession = (await createSessions(portal, token)).withoutRole;
  ground = createGround(portal, token, { 'site.create': { authenticators: [world.domain.id] } }, scim);
});
afterAll(() => world.portal.close());

/** The input of this one would limit the others. */
const operations = everyOperation.filter(({ id }) => id !== 'systemParameters.replace');

type Caller = { token?: string; headers: Record<string, string> };

/** The credentials of an operation: a token, that of a machine, or a session of a browser. */
async function callerOf(operation: Registered): Promise<Caller> {
  if (isScim(operation)) return { headers: { authorization: `Bearer ${scim.token}` } };
  if (operation.browser !== undefined) return { headers: await browserHeaders() };
  const isOfAnother = operation.id === 'userinfo.endOtherSessions';
  const token = await (isOfAnother ? newSession() : world.portal.login());
  return { token, headers: credentials.of(operation) };
}

async function browserHeaders(): Promise<Record<string, string>> {
  const { send, deps } = world.portal;
  const origin = { 'sec-fetch-site': 'same-origin', origin: deps.baseUrl };
  const body = { authSmallName: 'builtin', username: 'admin', password: adminPassword };
  const { headers } = await send('POST /signin', { body, headers: origin });
  const cookie = headers.getSetCookie().map((line) => line.split(';')[0]);
  return { ...origin, cookie: cookie.join('; ') };
}

/** Objects of the operation; those at an identity provider belong to the domain that has one. */
async function groundOf(operation: Registered): Promise<Ground> {
  const at = await ground.of(operation);
  if (!operation.path.includes('{auth_uuid}')) return at;
  const values = { ...at.values, auth_uuid: scim.domain.id };
  return { ...at, values, path: pathOf(operation, values) };
}

/** Sends a request. The portal must not fail, and no statement of the database, whatever the answer is. */
async function send(operation: Registered, { what, path, ...options }: Unusual): Promise<void> {
  const { portal } = world;
  const before = portal.log.length;
  // Refused sign-ins and wrong tokens count against their address.
  const ip = `10.1.${++address >> 8}.${address & 255}`;
  const answer = await portal.send(`${operation.method} ${path}`, { ...options, ip });
  await portal.settled();
  const said = JSON.stringify(answer.body).slice(0, 300);
  const shown = `${operation.id} ${what.slice(0, 300)}: ${answer.status} ${said}`;
  expect(faultsIn(portal.log.slice(before)), shown).toEqual([]);
  const code = answer.status < 500 ? '' : codeIn(answer);
  const isOfNode = code.startsWith('upstream_') && documentedCodes(operation, answer.status).includes(code);
  expect(answer.status < 500 || isOfNode, shown).toBe(true);
  if (answer.status === 200) await credentials.renew(operation);
}

const parametersOf = (operation: Registered, place: string): Json[] =>
  describedAs(operation)
    .parameters.map(resolve)
    .filter((one: Json) => one.in === place);

/** A request of an operation with something unusual. */
type Unusual = SendOptions & { what: string; path: string };

function* requestsOf(operation: Registered, at: Ground): Generator<Unusual> {
  const body = operation.form === true ? undefined : at.body;
  for (const { name } of parametersOf(operation, 'path'))
    for (const text of textsOfParameter(name)) {
      const path = operation.path.replace(/\{(\w+)\}/g, (_, other: string) =>
        other === name ? text : (at.values[other] ?? encodeURIComponent(other)),
      );
      yield { what: path, path, body };
    }
  for (const { name } of parametersOf(operation, 'query'))
    for (const text of textsOfParameter(name))
      yield { what: `${name}=${text}`, path: `${at.path}?${name}=${text}`, body };
  for (const [name, value] of someOf(headers))
    yield { what: `${name}: ${value}`, path: at.path, body, headers: { [name]: value } };
  if (operation.body) yield* bodiesOf(operation, at);
}

function* bodiesOf(operation: Registered, at: Ground): Generator<Unusual> {
  const headers = { 'content-type': operation.form ? form : jsonTypeOf(operation) };
  for (const { pointer, schema, text } of placesOf(bodySchemaOf(operation), at.body ?? {})) {
    if (pointer === '' || !hasTexts(schema)) continue;
    const name = pointer.slice(pointer.lastIndexOf('/') + 1);
    const bodies = operation.form
      ? textsOfParameter(name).map((value) => formWith(JSON.parse(text('null')), name, value))
      : textsOfMember(name, bodyLimitOf(operation) - text('""').length).map((json) => bytesOf(text(json)));
    for (const body of bodies)
      yield { what: `${pointer} ${body.slice(0, 99)}`, path: at.path, body, headers };
  }
}

const form = 'application/x-www-form-urlencoded';

it.each(
  operations,
)('texts that are difficult to store, anywhere in a request, do no harm to $id', async (operation) => {
  const [at, caller] = [await groundOf(operation), await callerOf(operation)];
  for (const { headers, ...unusual } of requestsOf(operation, at)) {
    const own = { ...caller, headers: { ...caller.headers, ...headers } };
    if (headers?.['x-auth-token'] !== undefined) delete own.token;
    await send(operation, { ...own, ...unusual });
  }
});

/** A form with the members that are texts, and one of them as it is in the form. */
function formWith(members: object, name: string, value: string): string {
  const others = Object.entries(members).filter(
    ([other, text]) => other !== name && typeof text === 'string',
  );
  return `${new URLSearchParams(others)}&${name}=${value}`;
}

/** Bytes are one character each in a header. */
const values = [
  ...encodedTexts.filter((text) => text.length < 400),
  '\u00ff\u00fe',
  '\u00ed\u00a0\u0080',
  '\\',
  'x\\',
];
const headers = values.flatMap((value): [string, string][] => [
  ['x-auth-token', value],
  ['authorization', `Bearer ${value}`],
  ['cookie', `__Host-session=${value}; ${value}=${value}`],
  ['idempotency-key', value],
  ['user-agent', value],
  ['x-request-id', value],
  ['x-forwarded-for', value],
  ['accept-language', value],
  ['last-event-id', value],
  ['x-consistency-token', value],
  ['if-match', `"${value}"`],
]);
