import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { permissions } from '../../../shared/context/permissions.ts';
import {
  addDomain,
  addMember,
  addUser,
  asker,
  builtin,
  builtinRole,
  domainsPath,
  goodPassword,
  logIn,
  type Member,
  startWorld,
  usersPath,
  type World,
} from '../../support/factories.ts';
import type { Answer, Json } from '../../support/portal.ts';

let world: World;
/** Holds every permission by a role of their own, without being the built-in administrator. */
let deputy: Member;
let home: Json;
let root: Json;
const admin: World['admin'] = (...parts) => world.admin(...parts);

beforeEach(async () => {
  world = await startWorld();
  deputy = await addMember(world, permissions);
  ({ domain: home, admin: root } = await builtin(admin));
});
afterEach(() => world.portal.close());

const rootPath = () => `${usersPath(home)}/${root.id}`;

/** Moves administration out of the built-in domain: one administrator, in a separate domain. */
async function moveAdministrator(): Promise<{ domain: Json; user: Json }> {
  const domain = await addDomain(admin);
  const user = await addUser(admin, domain, { roles: [await builtinRole(admin, 'administrator')] });
  expect((await deputy.ask(`PATCH ${rootPath()}`, { state: 'inactive' })).status).toBe(200);
  return { domain, user };
}

function expectLast({ status, body }: Answer): void {
  expect([status, body.code, body.reason]).toEqual([409, 'invalid_state', 'last_administrator']);
}

describe('the last administrator', () => {
  it('cannot be deleted, deactivated or demoted by any caller', async () => {
    expectLast(await deputy.ask(`DELETE ${rootPath()}`));
    expectLast(await deputy.ask(`PATCH ${rootPath()}`, { state: 'inactive' }));
    expectLast(await deputy.ask(`PATCH ${rootPath()}`, { roles: [] }));
    expectLast(await deputy.ask(`PATCH ${rootPath()}`, { kind: 'service' }));
    expectLast(await deputy.ask(`PUT ${rootPath()}`, { name: 'admin', state: 'inactive' }));
    const bulk = await deputy.ask(`POST ${usersPath(home)}/bulk_destroy`, { all: true });
    expect(bulk.body).toMatchObject({ deleted: [], failed: [{ id: root.id, code: 'invalid_state' }] });
    expect((await admin('GET /api/userinfo')).status).toBe(200);
  });

  it('cannot be removed through their domain', async () => {
    const { domain, user } = await moveAdministrator();
    const one = `${domainsPath}/${domain.id}`;
    expectLast(await deputy.ask(`DELETE ${one}`));
    expectLast(await deputy.ask(`PATCH ${one}`, { state: 'disabled' }));
    expectLast(await deputy.ask(`PATCH ${one}`, { subjects: 'users' }));
    const bulk = await deputy.ask(`POST ${domainsPath}/bulk_destroy`, { ids: [domain.id] });
    expect(bulk.body).toMatchObject({ deleted: [], failed: [{ id: domain.id, code: 'invalid_state' }] });
    const all = await deputy.ask(`POST ${domainsPath}/bulk_destroy`, { all: true });
    expect(all.body.deleted).not.toContain(domain.id);
    expect((await logIn(world.portal, domain, user)).status).toBe(200);
  });

  it('cannot be replaced by a service account', async () => {
    const role = await builtinRole(admin, 'administrator');
    await addUser(admin, world.domain, { kind: 'service', password: null, roles: [role] });
    expectLast(await deputy.ask(`DELETE ${rootPath()}`));
  });

  it('can be removed when there is another', async () => {
    await addUser(admin, world.domain, { roles: [await builtinRole(admin, 'administrator')] });
    expect((await deputy.ask(`DELETE ${rootPath()}`)).status).toBe(204);
  });
});

describe('two administrators who remove each other concurrently: one stays', () => {
  const administrators = async (): Promise<[Member, Member]> => {
    const role = await builtinRole(admin, 'administrator');
    const add = async (): Promise<Member> => {
      const user = await addUser(admin, world.domain, { roles: [role] });
      const token = (await logIn(world.portal, world.domain, user)).body.token;
      return { ask: asker(world.portal, token), user, role: null, token };
    };
    const pair: [Member, Member] = [await add(), await add()];
    expect((await pair[0].ask(`DELETE ${rootPath()}`)).status).toBe(204);
    return pair;
  };
  const pathOf = ({ user }: Member) => `${usersPath(world.domain)}/${user.id}`;
  const bulk = ({ user }: Member) =>
    [`POST ${usersPath(world.domain)}/bulk_destroy`, { ids: [user.id] }] as const;

  type Attack = (victim: Member) => readonly [route: string, body?: unknown];
  it.each<[string, Attack]>([
    ['by deletion', (victim) => [`DELETE ${pathOf(victim)}`]],
    ['by deactivation', (victim) => [`PATCH ${pathOf(victim)}`, { state: 'inactive' }]],
    ['by demotion', (victim) => [`PATCH ${pathOf(victim)}`, { roles: [] }]],
    ['by bulk_destroy', bulk],
  ])('%s', async (_, attack) => {
    const [one, two] = await administrators();
    const [first, second] = await Promise.all([one.ask(...attack(two)), two.ask(...attack(one))]);
    const logins = await Promise.all([one, two].map(({ user }) => logIn(world.portal, world.domain, user)));
    const left = logins.filter(({ body }) => body.user?.roles.includes('administrator'));
    expect(left).toHaveLength(1);
    expect(Math.max(first.status, second.status)).toBeLessThan(500);
  });

  it('and one alone cannot remove themselves', async () => {
    const [one] = await administrators();
    expect((await one.ask(`DELETE ${pathOf(one)}`)).body.reason).toBe('own_account');
    const { body } = await one.ask(...bulk(one));
    expect(body).toMatchObject({ deleted: [], failed: [{ id: one.user.id, code: 'invalid_state' }] });
    expect((await logIn(world.portal, world.domain, one.user, { password: goodPassword })).status).toBe(200);
  });
});
