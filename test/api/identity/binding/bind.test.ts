import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { eq } from 'drizzle-orm';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { users } from '../../../../db/schema/identity/users.ts';
import { newId } from '../../../../shared/kernel/ids.ts';
import {
  addDirectory,
  addMember,
  addProvider,
  addRole,
  addUser,
  audited,
  base,
  unique,
  usersPath,
  useWorld,
} from '../../../support/factories.ts';
import { addScimUser, type ScimClient, startScim } from '../../../support/identity/scim.ts';
import type { Answer, Json } from '../../../support/portal.ts';

const world = useWorld();
let scim: ScimClient;
beforeAll(async () => {
  scim = await startScim(world);
});

const pathOf = ({ id }: Json) => `POST ${base}/users/${id}/bind`;
const bind = (user: Json, body?: Json, ask = world.admin): Promise<Answer> => ask(pathOf(user), body);
const bindMany = (items: Json[], { domain = scim.domain, ask = world.admin, headers = {} } = {}) =>
  ask(`POST ${usersPath(domain)}/bind`, { items }, headers);
const identityOf = async ({ id }: Json) => {
  const [row] = await world.portal.db.select().from(users).where(eq(users.id, id));
  return [row?.directory_id, row?.directory_authority];
};
const accessOf = async ({ id }: Json) => (await world.admin(`GET ${base}/users/${id}/access`)).body;
const reasonOf = ({ status, body }: Answer) => [status, body.reason];
const faultOf = ({ status, body }: Answer) => [status, body.errors?.[0].pointer, body.errors?.[0].code];
const giveRole = async ({ id }: Json, permissions: string[]) =>
  world.admin(`PATCH ${usersPath(scim.domain)}/${id}`, {
    roles: [(await addRole(world.admin, permissions)).id],
  });

describe('a user of an identity provider', () => {
  it('gets the identifier and the issuer of the person, with an event', async () => {
    const user = await addScimUser(scim);
    expect(await accessOf(user)).toMatchObject({
      ...{ binding: 'unbound', bound_by: 'subject', tenants: [], refusals: ['not_bound'] },
    });
    const subject = newId();
    const { result, events } = await audited(world.portal, () => bind(user, { subject }));
    expect(result).toMatchObject({ status: 200, body: { id: user.id, name: user.userName } });
    const issuer = 'https://login.example.com/staff';
    expect(await identityOf(user)).toEqual([subject, issuer]);
    expect(events).toMatchObject([
      {
        ...{ event: 'portal.EntityAction', action: 'update', object_id: user.id },
        changes: [
          { field: 'directory_id', before: null, after: subject },
          { field: 'directory_authority', before: '', after: issuer },
        ],
      },
    ]);
    expect(await accessOf(user)).toMatchObject({ binding: 'bound', refusals: [] });
    expect((await scim.ask(`GET /Users/${user.id}`)).body.externalId).toBe(subject);
  });

  it('is bound once, and to a person that no other user of the domain is', async () => {
    const [user, other] = [await addScimUser(scim), await addScimUser(scim)];
    const subject = newId();
    expect((await bind(user, { subject })).status).toBe(200);
    expect(reasonOf(await bind(user, { subject: newId() }))).toEqual([409, 'bound']);
    expect(reasonOf(await bind(other, { subject }))).toEqual([409, 'entry_in_use']);
    const provisioned = newId();
    await addScimUser(scim, { externalId: provisioned });
    expect(reasonOf(await bind(other, { subject: provisioned }))).toEqual([409, 'entry_in_use']);
    expect(await identityOf(other)).toEqual([null, '']);
  });

  it('wins against another one that is bound to the same person at the same time', async () => {
    const both = [await addScimUser(scim), await addScimUser(scim)];
    const subject = newId();
    const answers = await Promise.all(both.map((user) => bind(user, { subject })));
    expect(answers.map(reasonOf).toSorted(([a], [b]) => a - b)).toEqual([
      [200, undefined],
      [409, 'entry_in_use'],
    ]);
  });

  it('is not bound without a usable identifier, nor as a service', async () => {
    const user = await addScimUser(scim);
    expect(faultOf(await bind(user))).toEqual([422, '/subject', 'required']);
    for (const subject of ['', ' x', 'ä', 'x'.repeat(256)])
      expect(faultOf(await bind(user, { subject }))[1]).toBe('/subject');
    expect(faultOf(await bind(user, { subject: 'x', tenant: newId() }))).toEqual([
      ...[422, '/tenant', 'not_allowed'],
    ]);
    const service = await addUser(world.admin, scim.domain, { kind: 'service', password: null });
    expect(reasonOf(await bind(service, { subject: newId() }))).toEqual([409, 'service']);
    expect(await accessOf(service)).toMatchObject({ binding: 'none', bound_by: null });
  });

  it('is bound by a caller who holds all permissions of the user', async () => {
    const user = await addScimUser(scim);
    await giveRole(user, ['users.update', 'sites.delete']);
    const weak = await addMember(world, ['users.update']);
    expect(await bind(user, { subject: newId() }, weak.ask)).toMatchObject({
      ...{ status: 403, body: { missing: ['sites.delete'] } },
    });
    const reader = await addMember(world, ['users.read']);
    expect((await bind(user, { subject: newId() }, reader.ask)).status).toBe(403);
    expect((await bind({ id: newId() }, { subject: newId() })).status).toBe(404);
    const strong = await addMember(world, ['users.update', 'sites.delete']);
    expect((await bind(user, { subject: newId() }, strong.ask)).status).toBe(200);
  });
});

describe('a user of a provider with several tenants', () => {
  const tenants = [newId(), newId()] as const;
  const issuerOf = (tenant: string) => `https://login.microsoftonline.com/${tenant}/v2.0`;
  const addTenants = (...allowed_tenants: string[]) =>
    addProvider(world.admin, { issuer: issuerOf('organizations'), allowed_tenants });

  it('is a person of one allowed tenant', async () => {
    const { ask } = await startScim(world, await addTenants(...tenants));
    const [one, two] = [await addScimUser({ ask }), await addScimUser({ ask })];
    expect((await accessOf(one)).tenants).toEqual(tenants);
    const subject = newId();
    expect(faultOf(await bind(one, { subject }))).toEqual([422, '/tenant', 'required']);
    expect(faultOf(await bind(one, { subject, tenant: newId() }))).toEqual([422, '/tenant', 'not_allowed']);
    const [first, second] = tenants;
    expect((await bind(one, { subject, tenant: first.toUpperCase() })).status).toBe(200);
    expect(reasonOf(await bind(two, { subject, tenant: first }))).toEqual([409, 'entry_in_use']);
    expect((await bind(two, { subject, tenant: second })).status).toBe(200);
    expect([await identityOf(one), await identityOf(two)]).toEqual([
      [subject, issuerOf(first)],
      [subject, issuerOf(second)],
    ]);
  });

  it('needs no choice of the tenant if the domain allows one', async () => {
    const { ask } = await startScim(world, await addTenants(tenants[0]));
    const user = await addScimUser({ ask });
    expect((await bind(user, { subject: 'one' })).status).toBe(200);
    expect(await identityOf(user)).toEqual(['one', issuerOf(tenants[0])]);
  });
});

describe('a user of another kind of domain', () => {
  it('is found in a directory by the name, and is not bound if the portal stores the account', async () => {
    const user = await addUser(world.admin, await addDirectory(world.admin), { password: null });
    expect(faultOf(await bind(user, { subject: 'x' }))).toEqual([422, '/subject', 'not_allowed']);
    expect(await accessOf(user)).toMatchObject({ binding: 'unbound', bound_by: 'name', refusals: [] });
    const local = await addUser(world.admin, world.domain);
    expect(reasonOf(await bind(local, { subject: 'x' }))).toEqual([409, 'no_directory']);
    expect(await accessOf(local)).toMatchObject({ binding: 'none', bound_by: null });
  });
});

describe('several users', () => {
  it('are bound one by one: those that are refused do not affect the others', async () => {
    const [one, two, three, strong] = await Promise.all(Array.from({ length: 4 }, () => addScimUser(scim)));
    if (!one || !two || !three || !strong) throw new Error('four users were added');
    await giveRole(strong, ['sites.delete']);
    const elsewhere = await addScimUser(await startScim(world));
    const { ask } = await addMember(world, ['users.update']);
    const [subject, taken] = [newId(), newId()];
    const items = [
      { id: one.id, subject },
      { id: two.id, subject },
      { id: strong.id, subject: newId() },
      { id: elsewhere.id, subject: newId() },
      { id: one.id, subject: newId() },
      { id: two.id },
      { id: three.id, subject: taken },
    ];
    const { result, events } = await audited(world.portal, () => bindMany(items, { ask }));
    expect([result.status, result.body.bound, result.body.bound_count]).toEqual([200, [one.id, three.id], 2]);
    expect(result.body.failed.map(({ id, code, reason }: Json) => [id, code, reason])).toEqual([
      [two.id, 'invalid_state', 'entry_in_use'],
      [strong.id, 'forbidden', null],
      [elsewhere.id, 'not_found', null],
      [one.id, 'invalid_state', 'bound'],
      [two.id, 'invalid_request', null],
    ]);
    expect(result.body.failed_count).toBe(5);
    expect(events.map(({ object_id }) => object_id)).toEqual([one.id, three.id]);
    expect(await identityOf(two)).toEqual([null, '']);
    expect((await identityOf(three))[0]).toBe(taken);
  });

  it('are told apart in a trial, which binds none, and are bound once with a key', async () => {
    const [one, two] = [await addScimUser(scim), await addScimUser(scim)];
    const subject = unique('person');
    const items = [
      { id: one.id, subject },
      { id: two.id, subject },
      { id: two.id, subject: `${subject}2` },
    ];
    const trial = await bindMany(items, { headers: { 'x-dry-run': 'true' } });
    const outcome = { bound: [one.id, two.id], failed: [{ id: two.id, reason: 'entry_in_use' }] };
    expect(trial.body.would.body).toMatchObject(outcome);
    expect(await identityOf(one)).toEqual([null, '']);
    const headers = { 'idempotency-key': newId() };
    for (const _ of ['first', 'again'])
      expect((await bindMany(items, { headers })).body).toMatchObject(outcome);
  });

  it('of a directory without an answer are looked up until the first failure', async () => {
    const connections: Socket[] = [];
    const silent = createServer((socket) => connections.push(socket)).listen(0, '127.0.0.1');
    onTestFinished(() => {
      for (const socket of connections) socket.destroy();
      silent.close();
    });
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const params = { hosts: [`ldaps://127.0.0.1:${port}`], timeout_s: 1 };
    const domain = await addDirectory(world.admin, params);
    const ids = [(await addUser(world.admin, domain, { password: null })).id, newId()];
    const { body } = await bindMany(
      ids.map((id) => ({ id })),
      { domain },
    );
    expect(body.failed.map(({ id, code }: Json) => [id, code])).toEqual(
      ids.map((id) => [id, 'upstream_timeout']),
    );
    expect(connections).toHaveLength(1);
  });

  it('are users of a domain, at most a hundred, named in the language of the caller', async () => {
    const items = [{ id: newId(), subject: 'x' }];
    expect((await bindMany(items, { domain: { id: newId() } })).status).toBe(404);
    expect((await bindMany([])).status).toBe(422);
    expect((await bindMany(Array(101).fill(items[0]))).status).toBe(422);
    const russian = await bindMany(items, { headers: { 'accept-language': 'ru' } });
    expect(russian.body.failed[0].detail).toMatch(/[а-я]/);
    const { ask } = await addMember(world, ['users.read']);
    expect((await bindMany(items, { ask })).status).toBe(403);
  });
});
