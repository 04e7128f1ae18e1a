import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Change, readChanges } from '../../db/repositories/changes/changes.ts';
import { authenticators } from '../../db/schema/identity/authenticators.ts';
import { portals } from '../../db/schema/sites/portals.ts';
import { webhooks } from '../../db/schema/webhooks/webhooks.ts';
import { announcedTypes } from '../../shared/changes/visibility.ts';
import { newId } from '../../shared/kernel/ids.ts';
import {
  addDirectory,
  addProvider,
  addUser,
  addWebhook,
  goodPassword,
  startWorld,
  unique,
  type World,
} from '../support/factories.ts';
import { type Fleet, sessionOf, startFleet, workplaceOf } from '../support/fleet/fleet.ts';
import { allReadable } from '../support/http/changes.ts';
import type { Json } from '../support/portal.ts';
import { everyOperation, pathOf, type Registered } from './generated/described.ts';
import { createGround, creatorOf } from './generated/ground.ts';
import { liftLimits } from './support/limits.ts';

/** Operations that change no object, with the reason. */
const withoutChange: Readonly<Record<string, string>> = {
  'image.create': 'a picture is part of the objects that refer to it',
  'workplace.message': 'a message is shown and not stored',
  'spsession.assist': 'returns the address of a viewer',
  'webhook.test': 'a delivery is no object: the page of the webhook reads its deliveries again',
  'webhook.replay': 'as webhook.test',
  'dispatcher.retryAccount': 'a pause of logins is no object: the page of the dispatcher reads it again',
  'webhook.replayAll': 'as webhook.test',
  'userPasskey.revoke': 'only the page of the user shows passkeys, and reads them again',
  'authenticator.testSignIn': 'a test is shown to its session only',
  'authenticator.moveIdentities':
    'needs a test sign-in at two providers; the rows of the users are written as by user.update',
  'user.bind': 'needs a directory or an identity provider; the row of the user is written as by user.update',
  'user.bindMany': 'as user.bind',
};

/** The type of the objects of an operation, if its id begins with another word. */
const typeOf: Readonly<Record<string, string>> = {
  serviceToken: 'service_token',
  userSession: 'session',
  lockOut: 'lock_out',
  loginSession: 'session',
  systemParameters: 'system_parameter',
};
const rank = ({ id }: Registered): number =>
  ['workplace.delete', 'spsession.logoff', 'systemParameters.replace'].indexOf(id);
const writes = everyOperation
  .filter(({ module, method }) => ['webui', 'aggregator'].includes(module) && method !== 'GET')
  .filter(
    ({ path, readsOnly, access }) => access !== 'public' && readsOnly !== true && !path.endsWith('/export'),
  )
  .filter(({ id }) => !Object.hasOwn(withoutChange, id))
  .sort((a, b) => rank(a) - rank(b));

let world: World;
let fleet: Fleet;
let token: string;
/** Identifiers of objects that only a dispatcher creates. */
let ofFarm: Record<string, string>;
let ground: ReturnType<typeof createGround>;

beforeAll(async () => {
  world = await startWorld();
  await liftLimits(world.portal);
  fleet = await startFleet(world);
  token = await world.portal.login();
  ofFarm = {
    id: fleet.farm.id,
    servicepool_uuid: fleet.simulator.state.poolNamed('Office').uuid,
    servicespool_uuid: fleet.simulator.state.poolNamed('Office').uuid,
    workplace_uuid: workplaceOf(fleet, 'Office', 1).uuid,
    session_uuid: sessionOf(fleet).session_uuid,
  };
  ground = createGround(world.portal, token, { 'site.create': { authenticators: [world.domain.id] } });
}, 120_000);
afterAll(async () => {
  await fleet?.simulator.close();
  await world?.portal.close();
});

/** Paths and bodies that the document does not define. */
const given: Readonly<Record<string, () => Promise<{ path?: string; body?: Json }>>> = {
  'authenticator.changeAttribute': async () => {
    const { id } = await addDirectory(
      world.admin,
      {},
      { attributes: [{ name: 'mail', source: 'mail', title: '' }] },
    );
    return {
      path: `/api/webui/aggregator/authenticators/${id}/attribute`,
      body: { action: 'add', name: 'phone', source: 'telephoneNumber' },
    };
  },
  'authenticator.rotateKey': async () => {
    const { id } = await addProvider(world.admin, { client_authentication: 'private_key' });
    return { path: `/api/webui/aggregator/authenticators/${id}/rotate_key` };
  },
  'authenticator.acceptDirectory': async () => {
    const { id } = await addDirectory(world.admin);
    await world.portal.db
      .update(authenticators)
      .set({ directory_authority: 'S-1-5-21-1', other_directory: 'S-1-5-21-2' })
      .where(eq(authenticators.id, id));
    return {
      path: `/api/webui/aggregator/authenticators/${id}/accept_directory`,
      body: { authority: 'S-1-5-21-2' },
    };
  },
  'userSession.endAll': async () => {
    const user = await addUser(world.admin, world.domain, { password: goodPassword });
    await world.portal.send('POST /api/auth/v7.0/login', {
      body: { username: user.name, password: goodPassword, authSmallName: world.domain.small_name },
    });
    return { path: `/api/webui/aggregator/authenticators/${world.domain.id}/users/${user.id}/sessions` };
  },
  'loginSession.delete': async () => {
    const user = await addUser(world.admin, world.domain, { password: goodPassword });
    await world.portal.send('POST /api/auth/v7.0/login', {
      body: { username: user.name, password: goodPassword, authSmallName: world.domain.small_name },
    });
    const path = '/api/webui/aggregator/login-sessions';
    const { body } = await world.admin(`GET ${path}?user=${user.id}`);
    return { path: `${path}/${body.items[0].id}` };
  },
  'lockOut.delete': async () => {
    const path = '/api/webui/aggregator/lock-outs';
    const name = unique('guessed');
    await lockOut(name);
    const { body } = await world.admin(`GET ${path}?search=${name}`);
    return { path: `${path}/${body.items[0].id}` };
  },
  'webhook.takeOver': async () => {
    const { id } = await addWebhook(world.admin);
    await world.portal.db.update(webhooks).set({ owner_id: null }).where(eq(webhooks.id, id));
    return { path: `/api/webui/aggregator/webhooks/${id}/take_over` };
  },
  'portal.delete': portalRow,
  'portal.tags': async () => ({ path: `${(await portalRow()).path}/tags`, body: { tags: ['production'] } }),
};

/** Failed logins lock a name, also one without an account. */
async function lockOut(name: string, failures = 5): Promise<void> {
  for (let n = 0; n < failures; n++)
    await world.portal.send('POST /api/auth/v7.0/login', {
      body: { username: name, password: 'a wrong guess', authSmallName: world.domain.small_name },
    });
}

async function portalRow() {
  const [id, name] = [newId(), unique('portal')];
  const at = new Date(0);
  const facts = { fqdn: name, portal_type: 'user', runtime: 'node', version: '7.0' } as const;
  await world.portal.db
    .insert(portals)
    .values({ id, name, name_key: name, ...facts, started_at: at, last_seen_at: at });
  return { path: `/api/webui/aggregator/appnodes/portals/${id}` };
}

/** A valid request of the operation. */
async function requestOf(operation: Registered): Promise<{ path: string; body: Json }> {
  const own = await given[operation.id]?.();
  if (operation.path.endsWith('/bulk_destroy')) {
    const { values } = await ground.valuesFor(operation.path);
    const collection = operation.path.replace('/bulk_destroy', '');
    const create = creatorOf(collection);
    if (!create) throw new Error(`no creation in ${collection}`);
    const { id } = await ground.make(create, pathOf(create, values));
    return { path: pathOf(operation, values), body: { ids: [id] } };
  }
  if (own?.path) return { path: own.path, body: own.body };
  const { values, body } = await ground.of(operation);
  const isOfFarm = operation.effects === 'dispatcher';
  const force = isOfFarm && body && 'force' in body ? { force: true } : {};
  return {
    path: pathOf(operation, isOfFarm ? ofFarm : values),
    body: body && { ...body, ...force, ...bodies[operation.id] },
  };
}

const bodies: Readonly<Record<string, Json>> = {
  'workplace.assign': { user_id: null },
  'workplace.driveMachine': { action: 'suspend', force: true },
  'systemParameters.replace': { audit: { retention_days: { value: 731 } } },
};

/** Identifiers that an announcement of the write may have: those in its path, its body and its response. */
const idsIn = (...parts: unknown[]): string[] =>
  JSON.stringify(parts).match(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g) ?? [];

async function announcedBy(operation: Registered) {
  const { path, body } = await requestOf(operation);
  await allReadable(world.portal.db);
  const { horizon } = await readChanges(world.portal.db, undefined);
  const answer = await world.portal.send(`${operation.method} ${path}`, { token, body });
  await allReadable(world.portal.db);
  const { items } = await readChanges(world.portal.db, { xid: horizon, seq: 0 });
  return { answer, items, ids: idsIn(path, body, answer.body) };
}

const isOf = (operation: Registered, ids: string[]) => {
  const [word = ''] = operation.id.split('.');
  const type = typeOf[word] ?? word;
  const hasOtherId = ['session', 'system_parameter'].includes(type);
  return ({ kind, id }: Change) => kind === type && id !== null && (hasOtherId || ids.includes(id));
};

describe('a write', () => {
  it.each(writes)('$id announces its object', async (operation) => {
    const { answer, items, ids } = await announcedBy(operation);
    expect(answer.status, JSON.stringify(answer.body)).toBe(operation.returns[0]);
    const shown = `${operation.id}: ${JSON.stringify(items.map(({ kind, id }) => [kind, id]))}`;
    expect(items.some(isOf(operation, ids)), shown).toBe(true);
  });

  it('of the failed login that locks an account announces the lock-out once, with its id in the list', async () => {
    const name = unique('guessed');
    await lockOut(name, 4);
    await allReadable(world.portal.db);
    const { horizon } = await readChanges(world.portal.db, undefined);
    await lockOut(name, 1);
    await allReadable(world.portal.db);
    const { items } = await readChanges(world.portal.db, { xid: horizon, seq: 0 });
    const { body } = await world.admin(`GET /api/webui/aggregator/lock-outs?search=${name}`);
    const noted = items.filter(({ kind }) => kind === 'lock_out');
    expect(noted.map(({ id, action }) => [id, action])).toEqual([[body.items[0].id, 'created']]);
  });

  it('announces only types that a caller can read', async () => {
    const { items } = await readChanges(world.portal.db, { xid: 0n, seq: 0 });
    const kinds = new Set(items.map(({ kind }) => kind));
    expect(
      [...kinds].filter((kind) => ![...announcedTypes, 'snapshot'].some((type) => type === kind)),
    ).toEqual([]);
  });
});
