import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../shared/kernel/errors.ts';
import type { PortalType } from '../../shared/modules.ts';
import { startWorld, unique } from '../support/factories.ts';
import { startScim } from '../support/identity/scim.ts';
import { type Answer, adminPassword, type Json, type TestPortal } from '../support/portal.ts';
import { document, everyOperation, isScim, pathOf, type Registered } from './generated/described.ts';
import { liftLimits } from './support/limits.ts';
import { isListed, listedModules, portalTypes } from './support/portal-types.ts';
import { expectProblem } from './support/problems.ts';
import { createSessions } from './support/sessions.ts';

/** Credentials of a caller: the token of a session, and the cookie of a browser. */
type Credentials = { token?: string; cookie?: string };
type Caller = 'nobody' | 'stranger' | 'user' | 'administrator';

/** One installation: a portal of each type on its database. */
let home: TestPortal;
/** Of a domain without the resources of the addresses here. */
let provisioning: string;
const callers = new Map<Caller, Credentials>();
const user = { username: unique('user'), password: 'seven purple lanterns drift', authSmallName: 'builtin' };
const administrator = { username: 'admin', password: adminPassword, authSmallName: 'builtin' };

beforeAll(async () => {
  const world = await startWorld();
  home = world.portal;
  await liftLimits(home);
  provisioning = (await startScim(world)).token;
  const { make, domainId } = await createSessions(home, await home.login());
  await make(`/api/webui/aggregator/authenticators/${domainId}/users`, {
    name: user.username,
    password: user.password,
  });
  callers.set('nobody', {});
  callers.set('stranger', { token: 'A'.repeat(43), cookie: '__Host-session=x' });
  callers.set('user', await credentialsOf(user));
  callers.set('administrator', await credentialsOf(administrator));
});
afterAll(() => home.close());

const ofPage = { 'sec-fetch-site': 'same-origin' };

async function credentialsOf(person: typeof user): Promise<Credentials> {
  const token = await home.login(person.username, person.password);
  const { headers } = await home.send('POST /signin', { body: person, headers: ofPage });
  return { token, cookie: headers.get('set-cookie')?.split(';')[0] ?? '' };
}

/** With an unknown parameter: admitted callers are refused for that, and nothing is changed. */
function ask(send: TestPortal['send'], operation: Registered, { token, cookie }: Credentials) {
  const { method, browser, body } = operation;
  const isByCookie = browser && browser !== 'administrator or token';
  if (isScim(operation) && token) return askScim(send, operation, token);
  return send(`${method} ${pathOf(operation)}?no_such_parameter=1`, {
    token: isByCookie ? undefined : token,
    headers: isByCookie && cookie ? { ...ofPage, cookie } : {},
    body: body && '{}',
  });
}

const askScim = (send: TestPortal['send'], operation: Registered, token: string) =>
  send(`${operation.method} ${pathOf(operation)}`, {
    headers: { authorization: `Bearer ${token}` },
    body: operation.body && '{}',
  });

/** The code of the refusal of a caller; undefined when the operation is available to the caller. */
function refusalOf({ access, browser }: Registered, caller: Caller): ErrorCode | undefined {
  if (access === 'public') return undefined;
  if (caller === 'nobody') return 'unauthenticated';
  if (caller === 'stranger') return 'invalid_token';
  // SCIM admits service tokens only.
  if (access === 'scim.provision') return 'forbidden';
  if (caller === 'administrator') return undefined;
  if (browser && browser !== 'any') return 'unauthenticated';
  return access === 'signed-in' ? undefined : 'forbidden';
}

/** Public operations check their own input and may reject it. */
function expectAdmitted({ access }: Registered, { status, body }: Answer, caller: Caller): void {
  // A page of a login that has not begun. Pages ignore the unknown parameter.
  if (body.code === 'login_expired') return;
  const refusals = access === 'public' ? [404, 405] : [401, 403, 404, 405];
  expect(refusals, `${caller}: ${JSON.stringify(body)}`).not.toContain(status);
}

const addresses = [...new Set(everyOperation.map(({ path }) => path))];

/** Every method of every path, as `OPTIONS` returns them. */
async function servedBy(send: TestPortal['send']): Promise<string[]> {
  const found: string[] = [];
  for (const path of addresses) {
    const first = everyOperation.find((operation) => operation.path === path);
    const { headers } = await send(`OPTIONS ${first ? pathOf(first) : path}`);
    const methods = (headers.get('allow') ?? '').split(', ').filter((name) => /^(GET|P|DEL)/.test(name));
    found.push(...methods.map((method) => `${method} ${path}`));
  }
  return found.sort();
}

const describedIn = ({ paths }: Json): string[] =>
  Object.entries<object>(paths)
    .filter(([path]) => !path.startsWith('/aggregator/health/'))
    .flatMap(([path, verbs]) => Object.keys(verbs).map((verb) => `${verb.toUpperCase()} ${path}`))
    .sort();

describe.each(portalTypes)('a portal of the type %s', (type) => {
  let send: TestPortal['send'];
  beforeAll(() => {
    send = home.isolate(type);
  });
  const administratorOf = (): Credentials => callers.get('administrator') ?? {};
  const absent = everyOperation.filter((operation) => !isListed(operation, type));

  it('excludes modules of other types, except the common ones', () =>
    expect(absent.length > 0).toBe(type !== 'universal'));

  it.each(
    everyOperation.filter((operation) => isListed(operation, type)),
  )('serves $id to its audience only', async (operation) => {
    for (const [caller, credentials] of callers) {
      const answer = await ask(send, operation, credentials);
      const code = refusalOf(operation, caller);
      if (code) expectProblem(answer, code, operation);
      else expectAdmitted(operation, answer, caller);
    }
    if (!isScim(operation)) return;
    const { status, body } = await askScim(send, operation, provisioning);
    expect([400, 404], JSON.stringify(body)).toContain(status);
  });

  it.each(absent)('does not have $id for any caller and method', async (operation) => {
    for (const credentials of callers.values())
      expectProblem(await ask(send, operation, credentials), 'not_found');
    for (const method of ['OPTIONS', 'PROPFIND', 'HEAD']) {
      const answer = await send(`${method} ${pathOf(operation)}`, { token: administratorOf().token });
      expect([answer.status, answer.headers.get('allow')]).toEqual([404, null]);
    }
  });

  it('lists the modules that it has', async () => {
    const { body } = await send('GET /api/discover', { token: administratorOf().token });
    expect(body.portal_type).toBe(type);
    const names: string[] = body.modules.map(({ name }: Json) => name);
    expect(names.sort()).toEqual([...listedModules[type], 'health'].sort());
  });

  it('answers at the listed paths and at no others', async () => {
    const listed = everyOperation.filter((operation) => isListed(operation, type));
    expect(await servedBy(send)).toEqual(listed.map(({ method, path }) => `${method} ${path}`).sort());
  });

  it('has its own OpenAPI document if it is for administrators', async () => {
    const { status, body } = await send('GET /api/openapi.json', { token: administratorOf().token });
    if (type === 'user') return expect(status).toBe(404);
    expect(describedIn(body)).toEqual(await servedBy(send));
    for (const path of Object.keys(body.paths)) expect(body.paths[path]).toEqual(document.paths[path]);
    const verbs: Json[] = Object.values<object>(body.paths).flatMap((path) => Object.values(path));
    // A path item may have `servers` beside its operations.
    const used = new Set(verbs.flatMap(({ tags = [] }) => tags));
    expect(body.tags.map(({ name }: Json) => name).sort()).toEqual([...used].sort());
  });

  it.each([
    ['administrators', administrator, { admin: 'admin', user: 'user', universal: 'admin' }],
    ['users', user, { admin: undefined, user: 'user', universal: 'user' }],
  ])('admits the login of %s when they have access', async (_, body, portals: Works) => {
    const answer = await send('POST /api/auth/v7.0/login', { body });
    if (!portals[type]) return expectProblem(answer, 'forbidden');
    expect([answer.status, answer.body.user.portal]).toEqual([200, portals[type]]);
  });
});

type Works = Record<PortalType, string | undefined>;
