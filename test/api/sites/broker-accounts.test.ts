import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { dispatchers } from '../../../db/schema/sites/dispatchers.ts';
import { nodeLogins } from '../../../db/schema/sites/node-logins.ts';
import { farmParts } from '../../../db/schema/snapshot/farm-parts.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { portalAccount, seededBroker } from '../../simulator/openuds/seed.ts';
import { type Broker, startOpenUds } from '../../simulator/openuds/start.ts';
import { addDispatcher, addFarm, adminOf, audited, base, unique, useWorld } from '../../support/factories.ts';
import { sync } from '../../support/fleet/snapshot.ts';
import { addBroker, brokerBody } from '../../support/openuds/site.ts';
import type { Json } from '../../support/portal.ts';

const path = `${base}/dispatchers`;
const world = useWorld();
const admin = adminOf(world);
let broker: Broker;
beforeAll(async () => {
  const users = [{ name: 'helper', isStaff: true }];
  const state = seededBroker({ users, pools: [{ name: 'Office', groups: ['staff'], desktops: 2 }] });
  broker = await startOpenUds({ state, wrongPasswordMs: 0 });
});
beforeEach(() => broker.resetCalls());
afterAll(() => broker.close());

const account = ['account_domain', 'account_name', 'account_password'];
const pointers = ({ body }: { body: Json }): string[] =>
  (body.errors ?? []).map(({ pointer, code }: Json) => `${pointer} ${code}`);
const stored = async (id: string) =>
  (await world.portal.db.select().from(dispatchers).where(eq(dispatchers.id, id)))[0];

describe('a node on which the portal has an account', () => {
  it('is stored with a sealed password, which is never returned and not in the audit', async () => {
    const { result, events } = await audited(world.portal, () => addBroker(world, broker));
    const { node, farm } = result;
    expect(node).toMatchObject({
      ...{ kind: 'openuds', account_domain: 'corp', account_name: portalAccount.name },
      ...{ account_password: null, account_password_set: true, public_url: null, health_key: null },
      capabilities: expect.arrayContaining(['service_account', 'identity_mapping', 'pool_access']),
    });
    expect(node.capabilities).not.toContain('messages');
    const row = await stored(node.id);
    expect(row?.account_password).not.toContain(portalAccount.password);
    expect(JSON.stringify(events)).not.toContain(portalAccount.password);
    const { body } = await admin(`GET ${base}/farms/${farm.id}`);
    expect(body).toMatchObject({ kind: 'openuds', capabilities: node.capabilities });
    expect(broker.calls).toEqual([]);
  });

  it.each(account)('needs %s', async (name) => {
    const farm = await addFarm(admin, world.site);
    const answer = await admin(`POST ${path}`, brokerBody(broker, { farm_id: farm.id, [name]: null }));
    expect([answer.status, pointers(answer)]).toEqual([422, [`/${name} required`]]);
  });

  it('has no key of a health check, and its address for users is an origin', async () => {
    const farm = await addFarm(admin, world.site);
    const body = (given: object) => brokerBody(broker, { farm_id: farm.id, ...given });
    const keyed = await admin(`POST ${path}`, body({ health_key: 'x' }));
    expect(pointers(keyed)).toEqual(['/health_key not_allowed']);
    for (const public_url of ['http://vdi.example.com', 'https://vdi.example.com/x', 'vdi', 'https://a@b.c'])
      expect(pointers(await admin(`POST ${path}`, body({ public_url })))).toEqual([
        '/public_url address_not_allowed',
      ]);
    const made = await admin(`POST ${path}`, body({ public_url: 'https://VDI.example.com/' }));
    expect(made.body.public_url).toBe('https://vdi.example.com');
  });

  it('keeps its password in a change, unless the destination or the account changes', async () => {
    const { node } = await addBroker(world, broker);
    const before = await stored(node.id);
    const renamed = await admin(`PATCH ${path}/${node.id}`, { priority: 3 });
    expect(renamed.body).toMatchObject({ priority: 3, account_password_set: true });
    expect((await stored(node.id))?.account_password).toBe(before?.account_password);
    for (const change of [{ url: 'https://127.0.0.1:9' }, { account_name: 'other' }]) {
      const answer = await admin(`PATCH ${path}/${node.id}`, change);
      expect([answer.status, pointers(answer)]).toEqual([422, ['/account_password required']]);
    }
    const answer = await admin(`PATCH ${path}/${node.id}`, { account_password: null });
    expect([answer.status, pointers(answer)]).toEqual([422, ['/account_password required']]);
    const moved = await admin(`PATCH ${path}/${node.id}`, {
      ...{ account_name: 'other', account_password: 'another' },
    });
    expect(moved.status).toBe(200);
  });
});

describe('an account that the node rejects', () => {
  const journal = async (id: string): Promise<string[]> => {
    const { body } = await admin(`GET ${base}/monitoring?object_id=${id}&limit=50`);
    return body.items
      .map(({ code }: Json) => code)
      .filter((code: string) => code.startsWith('dispatcher_account'));
  };
  /** Reads the list, without the pause that follows a failed read. */
  const read = async (farm: Json) => {
    await world.portal.db.update(farmParts).set({ tried_at: null }).where(eq(farmParts.farm_id, farm.id));
    await sync(world.portal, farm as { id: string }, 'servicespools');
  };
  const holdOf = async (id: string) => (await admin(`GET ${path}/${id}`)).body.account_hold;

  it('is a status of the node and one record, until the corrected password is tried at once', async () => {
    const { node, farm } = await addBroker(world, broker, { node: { account_password: 'wrong' } });
    expect(node.account_hold).toBeNull();
    await read(farm);
    await read(farm);
    expect(await holdOf(node.id)).toMatchObject({ reason: 'refused', until: expect.any(String) });
    expect(await journal(node.id)).toEqual(['dispatcher_account_refused']);
    await admin(`PATCH ${path}/${node.id}`, { account_password: portalAccount.password });
    expect(await holdOf(node.id)).toBeNull();
    await read(farm);
    const { body } = await admin(`GET ${base}/servicespools?farm_id=${farm.id}`);
    expect(body.items.map(({ name }: Json) => name)).toEqual(['Office']);
  });

  it('is tried again on request, which is an event', async () => {
    const { node, farm } = await addBroker(world, broker, { node: { account_password: 'late' } });
    await read(farm);
    const account = broker.state.users.find(({ name }) => name === portalAccount.name);
    if (!account) throw new Error('the seed has the account');
    account.password = 'late';
    const { result, events } = await audited(world.portal, () =>
      admin(`POST ${path}/${node.id}/account/retry`),
    );
    expect([result.status, events.map(({ action }) => action)]).toEqual([204, ['unlock']]);
    await read(farm);
    expect(await holdOf(node.id)).toBeNull();
    account.password = portalAccount.password;
    expect((await admin(`POST ${path}/${newId()}/account/retry`)).status).toBe(404);
  });

  it('is not stopped by tests with wrong passwords', async () => {
    const { farm } = await addBroker(world, broker);
    const { name, kind, url, ca_certificate, account_domain, account_name } = brokerBody(broker);
    const settings = { name, kind, url, ca_certificate, account_domain, account_name };
    for (let n = 0; n < 4; n++)
      await admin(`POST ${path}/test`, { ...settings, account_password: `wrong ${n}` });
    await read(farm);
    const { body } = await admin(`GET ${base}/servicespools?farm_id=${farm.id}`);
    expect(body.items.length).toBe(1);
    await world.portal.db.delete(nodeLogins);
    broker.state.sessions.clear();
  });
});

describe('a node without an account', () => {
  it('has none of the members of an account', async () => {
    const texts = { account_domain: 'a', account_name: 'b', account_password: 'c', public_url: 'https://d' };
    const sent = { ...texts, sends_client_address: true };
    const body = { name: unique('node'), farm_id: world.farm.id, url: 'https://node.example.com', ...sent };
    const answer = await admin(`POST ${path}`, body);
    expect(answer.status).toBe(422);
    expect(pointers(answer).sort()).toEqual(
      [...account, 'public_url', 'sends_client_address'].map((name) => `/${name} not_allowed`).sort(),
    );
  });
});

describe('a farm', () => {
  it('has nodes of one kind only', async () => {
    const { farm, node } = await addBroker(world, broker);
    const answer = await admin(`POST ${path}`, {
      ...{ name: unique('node'), farm_id: farm.id, url: 'https://node.example.com' },
    });
    expect([answer.status, pointers(answer)]).toEqual([422, ['/kind other_kind']]);
    const other = await addFarm(admin, world.site);
    await addDispatcher(admin, other);
    const moved = await admin(`PATCH ${path}/${node.id}`, { farm_id: other.id });
    expect([moved.status, pointers(moved)]).toEqual([422, ['/kind other_kind']]);
  });

  it('gets one kind when two nodes of different kinds are added at the same time', async () => {
    for (let round = 0; round < 5; round++) {
      const farm = await addFarm(admin, world.site);
      const answers = await Promise.all([
        admin(`POST ${path}`, brokerBody(broker, { farm_id: farm.id })),
        admin(`POST ${path}`, {
          ...{ name: unique('node'), farm_id: farm.id, url: 'https://node.example.com' },
        }),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 422]);
    }
  });
});

describe('the test of a node with an account', () => {
  const settings = (given: object = {}) => {
    const { name, kind, url, ca_certificate, account_domain, account_name, account_password } =
      brokerBody(broker);
    return {
      ...{ name, kind, url, ca_certificate },
      ...{ account_domain, account_name, account_password },
      ...given,
    };
  };
  const test = async (given: object = {}) => (await admin(`POST ${path}/test`, settings(given))).body;
  const outcome = ({ steps }: Json): string[] =>
    steps.map(({ name, status, code }: Json) => `${name}: ${status}${code ? ` ${code}` : ''}`).slice(4);

  it('shows the rights of the account, the version, the domains and the pools', async () => {
    const result = await test();
    expect(outcome(result)).toEqual([
      ...['answer: pass', 'authorization: pass', 'trusted_address: pass', 'administrator: pass'],
      ...['tickets: pass', 'health: pass', 'lists: pass'],
    ]);
    expect(result).toMatchObject({
      success: true,
      version: '3.6.0',
      domains: ['corp'],
      pools: 1,
      portal: null,
    });
    await world.portal.settled();
    expect(broker.state.sessions.size).toBe(0);
  });

  it('shows an account that is not an administrator', async () => {
    const result = await test({ account_name: 'helper', account_password: 'secret-1' });
    expect(outcome(result).slice(2)).toEqual([
      ...['trusted_address: pass', 'administrator: fail missing_right', 'tickets: skipped not_reached'],
      ...['health: pass', 'lists: skipped not_reached'],
    ]);
    expect(result.success).toBe(false);
  });

  it('shows an address that the broker does not trust', async () => {
    broker.state.trustedAdmins = '192.0.2.1';
    expect(outcome(await test()).slice(2, 4)).toEqual([
      ...['trusted_address: fail missing_right', 'administrator: skipped not_reached'],
    ]);
    broker.state.trustedAdmins = '*';
  });

  it('tries a wrong password once', async () => {
    const { node } = await addBroker(world, broker, { node: { account_password: 'wrong' } });
    const again = async () => (await admin(`POST ${path}/${node.id}/test`)).body;
    expect(outcome(await again()).slice(0, 2)).toEqual([
      'answer: pass',
      'authorization: fail account_refused',
    ]);
    expect(outcome(await again()).slice(0, 2)).toEqual(['answer: pass', 'authorization: fail account_held']);
    expect(broker.calls.filter(({ path: at }) => at.endsWith('auth/login')).length).toBe(1);
  });
});
