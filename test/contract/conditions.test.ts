import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dataUri, png } from '../support/pictures.ts';
import type { TestPortal } from '../support/portal.ts';
import { bodyShown, everyOperation, operations, pathOf, type Registered } from './generated/described.ts';
import { expectProblem } from './support/problems.ts';
import { createSessions, type Sessions } from './support/sessions.ts';
import { startTypedPortal } from './support/typed-portal.ts';

const webui = '/api/webui/aggregator';

let portal: TestPortal;
let token: string;
let sessions: Sessions;
let site: string;
let farm: string;

beforeAll(async () => {
  portal = await startTypedPortal();
  token = await portal.login();
  sessions = await createSessions(portal, token);
  site = (await sessions.make(`${webui}/sites`, { name: 'Owner', uri: 'owner' })).id;
  farm = (await sessions.make(`${webui}/farms`, { name: 'Owner', site_id: site })).id;
});
afterAll(() => portal.close());

/** States that no request creates, or that only some objects of a kind have; the tests of the resources cover these. */
const lookedAtElsewhere = [
  // A version of the object must exist.
  ...operations.flatMap(({ id }) => (id.endsWith('.restore') ? [id] : [])),
  'authenticator.changeAttribute',
  // The servers of the domain must show another directory.
  'authenticator.acceptDirectory',
  // The domain must have an identity provider.
  'authenticator.rotateKey',
  'console.getFile',
  'change.stream',
  'home.getFile',
  'home.getIcon',
  'home.getWorker',
  'portal.delete',
  'portal.tags',
  'service.list',
  'signIn.getFile',
  'webhook.rotateSecret',
  'webhook.takeOver',
];

/**
 * The operations of one path with preconditions, and the one that creates their objects; other objects
 * exist already.
 */
const items = [...Map.groupBy(operations, ({ path }) => path)].flatMap(([path, verbs]) => {
  const conditional = verbs.filter(
    (operation) => operation.conditional && !lookedAtElsewhere.includes(operation.id),
  );
  const collection = path.replace(/\/\{\w+\}$/, '');
  const create = everyOperation.find((other) => other.method === 'POST' && other.path === collection);
  return conditional.length > 0 ? [{ path, conditional, create }] : [];
});

let made = 0;

/** A new object of the kind, its path, and the body of its creation. */
async function makeOne(create: Registered): Promise<{ path: string; body: Record<string, unknown> }> {
  const shown: Record<string, unknown> = bodyShown(create);
  const owners = { site_id: site, farm_id: farm };
  const name = `made-${++made}`;
  const unique: Record<string, string> = {
    name,
    uri: name,
    small_name: name,
    issuer: `https://${name}.example.com`,
  };
  // The gallery has each picture once.
  if (create.id === 'picture.create') Object.assign(unique, { image: dataUri('png', png(made, 5)) });
  const known = Object.entries({ ...owners, ...unique }).filter(([name]) => Object.hasOwn(shown, name));
  const secret = create.id === 'user.create' ? { password: 'a pass phrase of the contract tests' } : {};
  const body = { ...shown, ...Object.fromEntries(known), ...secret };
  const collection = pathOf(create, { auth_uuid: sessions.domainId });
  const { id } = await sessions.make(collection, body);
  return { path: `${collection}/${id}`, body };
}

/** The forms of a tag behind proxies that compress: nginx, Apache, Jetty, and Apache with its older setting. */
const changedByProxies = (tag: string): string[] => [
  `W/${tag}`,
  ...['-gzip', '-br', '--gzip', ';gzip'].map((suffix) => tag.replace(/"$/, `${suffix}"`)),
  `W/${tag.replace(/"$/, '-gzip"')}`,
];

const bodyFor = ({ method }: Registered, body: object): object | undefined => {
  if (method === 'DELETE') return undefined;
  return method === 'PUT' ? body : {};
};

it('every operation with preconditions is tested', () => {
  const looked = items.flatMap(({ conditional }) => conditional.map(({ id }) => id));
  const conditional = operations.flatMap((operation) => (operation.conditional ? [operation.id] : []));
  expect(conditional.filter((id) => !lookedAtElsewhere.includes(id)).sort()).toEqual(looked.sort());
});

/** The target of a write of the operation. */
async function objectFor(operation: Registered, create: Registered | undefined) {
  return create ? makeOne(create) : { path: pathOf(operation), body: bodyShown(operation) };
}

describe.each(items)('$path', ({ conditional, create }) => {
  it.each(
    conditional.filter(({ method }) => method !== 'GET'),
  )('$id refuses another version and accepts the current one', async (operation) => {
    const { path, body } = await objectFor(operation, create);
    const sent = { token, body: bodyFor(operation, body) };
    const write = (ifMatch: string) =>
      portal.send(`${operation.method} ${path}`, {
        ...sent,
        headers: { ...(sent.body && { 'content-type': 'application/json' }), 'if-match': ifMatch },
      });
    const current = (await portal.send(`GET ${path}`, { token })).headers.get('etag') ?? '';
    expect(current).toMatch(/^"\d+\.[\w-]{16}"$/);
    const others = changedByProxies('"999.0"');
    for (const stale of ['"999.0"', '"text"', '', ...others, current.replaceAll('"', '')])
      expectProblem(await write(stale), 'precondition_failed', operation);
    expect((await portal.send(`GET ${path}`, { token })).headers.get('etag')).toBe(current);
    const forms = [current, ...changedByProxies(current)];
    const changed = forms[made % forms.length];
    expect((await write(`"999.0", ${changed}`)).status, changed).toBe(operation.returns[0]);
  });

  it.each(
    conditional.filter(({ method }) => method === 'GET'),
  )('$id answers 304 for the current version', async (operation) => {
    const { path } = await objectFor(operation, create);
    const read = (ifNoneMatch: string, method = 'GET') =>
      portal.send(`${method} ${path}`, { token, headers: { 'if-none-match': ifNoneMatch } });
    const current = (await read('"0.0"')).headers.get('etag') ?? '';
    const known = [current, `"0.0", ${current}`, '*', ...changedByProxies(current)];
    for (const [at, tags] of known.entries()) {
      const answer = await read(tags, at % 2 ? 'GET' : 'HEAD');
      expect(answer.status).toBe(304);
      expect(answer.body).toBe('');
      expect(answer.headers.get('etag')).toBe(current);
    }
    expect((await read('"0.0"')).status).toBe(operation.returns[0]);
  });
});

describe('the order of checks', () => {
  const stale = { 'if-match': '"999.0"' };

  it('verifies the version before the state: a site with a farm', async () => {
    const inUse = await portal.send(`DELETE ${webui}/sites/${site}`, { token });
    expectProblem(inUse, 'in_use');
    expectProblem(
      await portal.send(`DELETE ${webui}/sites/${site}`, { token, headers: stale }),
      'precondition_failed',
    );
  });

  it('verifies the version before the state: a built-in object', async () => {
    const roles = await portal.send(`GET ${webui}/rbac?search=administrator`, { token });
    const path = `${webui}/rbac/${roles.body.items[0].id}`;
    const sent = { token, body: { comments: 'mine' } };
    expectProblem(await portal.send(`PATCH ${path}`, sent), 'invalid_state');
    const headers = { 'content-type': 'application/json', ...stale };
    expectProblem(await portal.send(`PATCH ${path}`, { ...sent, headers }), 'precondition_failed');
    expectProblem(await portal.send(`DELETE ${path}`, { token, headers: stale }), 'precondition_failed');
  });

  it('verifies the version before references and taken names', async () => {
    const { path, body } = await makeOne(operationOf('farm.create'));
    const headers = { 'content-type': 'application/json', ...stale };
    const absent = '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11';
    for (const change of [{ site_id: absent }, { name: 'Owner' }]) {
      const sent = { token, body: { ...body, ...change } };
      expectProblem(await portal.send(`PUT ${path}`, { ...sent, headers }), 'precondition_failed');
    }
    const dangling = await portal.send(`PUT ${path}`, { token, body: { ...body, site_id: absent } });
    expectProblem(dangling, 'invalid_request', operationOf('farm.replace'));
    const taken = await portal.send(`PUT ${path}`, { token, body: { ...body, name: 'Owner' } });
    expectProblem(taken, 'already_exists', operationOf('farm.replace'));
  });
});

function operationOf(id: string): Registered {
  const found = everyOperation.find((operation) => operation.id === id);
  if (!found) throw new Error(`no operation ${id}`);
  return found;
}
