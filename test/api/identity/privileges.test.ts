import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { permissions } from '../../../shared/context/permissions.ts';
import {
  addDomain,
  addGroup,
  addMember,
  addRole,
  addSite,
  addUser,
  adminOf,
  audited,
  base,
  builtin,
  builtinRole,
  domainsPath,
  goodPassword,
  groupsPath,
  logIn,
  type Member,
  unique,
  usersPath,
  useWorld,
} from '../../support/factories.ts';
import type { Answer, Json } from '../../support/portal.ts';

const world = useWorld();
/** May write users, groups, roles and domains, and has no other permissions. */
let clerk: Member;
const admin = adminOf(world);
const verbs = ['read', 'create', 'update', 'delete'];
const clerical = ['users', 'groups', 'roles', 'authenticators'].flatMap((resource) =>
  verbs.map((verb) => `${resource}.${verb}`),
);

beforeAll(async () => {
  clerk = await addMember(world, clerical);
});

function expectLacking({ status, body }: Answer, missing: readonly string[]): void {
  expect([status, body.code, body.missing]).toEqual([403, 'forbidden', missing]);
}

describe('a caller cannot grant a permission that they do not have', () => {
  it('by a new or wider role', async () => {
    const create = (permissions: string[], scope?: unknown) =>
      clerk.ask(`POST ${base}/rbac`, {
        name: unique('role'),
        permissions,
        ...(scope !== undefined && { scope }),
      });
    expectLacking(await create(['users.read', 'sites.delete', 'farms.read']), ['farms.read', 'sites.delete']);
    const { body: role } = await create(['users.read']);
    const one = `${base}/rbac/${role.id}`;
    expectLacking(await clerk.ask(`PATCH ${one}`, { permissions: ['sites.read'] }), ['sites.read']);
    expectLacking(
      await clerk.ask(`PUT ${one}`, { name: role.name, permissions: ['users.read', 'audit.read'] }),
      ['audit.read'],
    );
    expect((await admin(`GET ${one}`)).body).toEqual(role);
  });

  it('by removing permissions from a role that has more than the caller', async () => {
    const role = await addRole(admin, ['sites.read', 'users.read']);
    expectLacking(await clerk.ask(`PATCH ${base}/rbac/${role.id}`, { permissions: ['users.read'] }), [
      'sites.read',
    ]);
    expectLacking(await clerk.ask(`PATCH ${base}/rbac/${role.id}`, { scope: { sites: [] } }), ['sites.read']);
  });

  it('by assigning a role to others, to themselves or to a new user, nor by removing one', async () => {
    const role = await addRole(admin, ['sites.delete', 'users.read']);
    const users = usersPath(world.domain);
    const victim = await addUser(admin, world.domain);
    const holder = await addUser(admin, world.domain, { roles: [role.id] });
    expectLacking(await clerk.ask(`PATCH ${users}/${victim.id}`, { roles: [role.id] }), ['sites.delete']);
    expectLacking(
      await clerk.ask(`POST ${users}`, { name: unique('user'), password: goodPassword, roles: [role.id] }),
      ['sites.delete'],
    );
    expectLacking(await clerk.ask(`PATCH ${users}/${holder.id}`, { roles: [] }), ['sites.delete']);
    expectLacking(await clerk.ask(`PATCH ${users}/${holder.id}`, { roles: null }), ['sites.delete']);
    const { roles: _, ...bare } = holder;
    expectLacking(await clerk.ask(`PUT ${users}/${holder.id}`, bare), ['sites.delete']);
    const self = await clerk.ask(`PATCH ${users}/${clerk.user.id}`, { roles: [clerk.role.id, role.id] });
    expect([self.status, self.body.reason]).toEqual([409, 'own_account']);
    expect((await clerk.ask(`PATCH ${users}/${holder.id}`, { comments: 'noted' })).status).toBe(200);
    const administrator = await builtinRole(admin, 'administrator');
    expect((await clerk.ask(`PATCH ${users}/${victim.id}`, { roles: [administrator] })).status).toBe(403);
  });

  it('by a scope wider than their own', async () => {
    const [own, other] = [await addSite(admin), await addSite(admin)];
    const narrow = await addRole(admin, ['sites.read'], { scope: { sites: [own.id] } });
    const keeper = await addMember(world, clerical);
    await admin(`PATCH ${usersPath(world.domain)}/${keeper.user.id}`, { roles: [keeper.role.id, narrow.id] });
    const create = (sites: unknown) =>
      keeper.ask(`POST ${base}/rbac`, {
        name: unique('role'),
        permissions: ['sites.read'],
        scope: { sites },
      });
    expect((await create([own.id])).status).toBe(201);
    expectLacking(await create([own.id, other.id]), ['sites.read']);
    expectLacking(await create('*'), ['sites.read']);
    const wide = await addRole(admin, ['sites.read']);
    const victim = `${usersPath(world.domain)}/${(await addUser(admin, world.domain)).id}`;
    expectLacking(await keeper.ask(`PATCH ${victim}`, { roles: [wide.id] }), ['sites.read']);
    expect((await keeper.ask(`PATCH ${victim}`, { roles: [narrow.id] })).status).toBe(200);
    const { body } = await keeper.ask(`POST ${base}/rbac`, {
      name: unique('role'),
      permissions: ['sites.read'],
      scope: { sites: [own.id] },
    });
    expectLacking(await keeper.ask(`PATCH ${base}/rbac/${body.id}`, { scope: { sites: null } }), [
      'sites.read',
    ]);
    expectLacking(await keeper.ask(`PATCH ${base}/rbac/${body.id}`, { scope: null }), ['sites.read']);
  });

  it('and a refused attempt changes nothing and writes no change event', async () => {
    const role = await addRole(admin, ['sites.delete']);
    const victim = await addUser(admin, world.domain);
    const { events } = await audited(world.portal, () =>
      clerk.ask(`PATCH ${usersPath(world.domain)}/${victim.id}`, { roles: [role.id] }),
    );
    expect(events.filter(({ event }) => event === 'portal.EntityAction')).toEqual([]);
    expect((await admin(`GET ${usersPath(world.domain)}/${victim.id}`)).body).toEqual(victim);
  });
});

describe('a user with more permissions than the caller', () => {
  let domain: Json;
  let strong: Member;
  beforeEach(async () => {
    domain = await addDomain(admin);
    strong = await addMember({ ...world, domain }, ['sites.delete', 'users.read']);
  });
  const one = () => `${usersPath(domain)}/${strong.user.id}`;

  it('keeps their password, state and kind, and is not deleted', async () => {
    expectLacking(await clerk.ask(`PATCH ${one()}`, { password: 'i know this one now' }), ['sites.delete']);
    expectLacking(await clerk.ask(`PATCH ${one()}`, { state: 'inactive' }), ['sites.delete']);
    expectLacking(await clerk.ask(`PATCH ${one()}`, { kind: 'service' }), ['sites.delete']);
    expectLacking(await clerk.ask(`PUT ${one()}`, { ...strong.user, password: 'i know this one now' }), [
      'sites.delete',
    ]);
    expectLacking(await clerk.ask(`DELETE ${one()}`), ['sites.delete']);
    expect((await strong.ask('GET /api/userinfo')).status).toBe(200);
    expect((await logIn(world.portal, domain, strong.user)).status).toBe(200);
  });

  it('keeps their name and locks, and cannot get a mandatory password change', async () => {
    expectLacking(await clerk.ask(`PATCH ${one()}`, { name: unique('renamed') }), ['sites.delete']);
    expectLacking(await clerk.ask(`PATCH ${one()}`, { must_change_password: true }), ['sites.delete']);
    for (let attempt = 0; attempt < 5; attempt++)
      await logIn(world.portal, domain, strong.user, { password: 'x' }, '192.0.2.7');
    const { body: locked } = await admin(`GET ${one()}`);
    expect(locked.locked_until).not.toBeNull();
    expectLacking(await clerk.ask(`PATCH ${one()}`, { locked_until: null }), ['sites.delete']);
    expect((await admin(`GET ${one()}`)).body).toEqual(locked);
    expect((await clerk.ask(`PUT ${one()}`, locked)).status).toBe(200);
    expect((await admin(`PATCH ${one()}`, { locked_until: null })).body.locked_until).toBeNull();
    const { password: _, ...open } = (await clerk.ask(`GET ${one()}`)).body;
    expect((await clerk.ask(`PATCH ${one()}`, open)).status).toBe(200);
  });

  it('keeps the address that reaches them and the name that others read', async () => {
    for (const change of [{ email: 'mine@example.com' }, { real_name: 'Another Person' }]) {
      expectLacking(await clerk.ask(`PATCH ${one()}`, change), ['sites.delete']);
      const whole = { ...(await admin(`GET ${one()}`)).body, ...change };
      expectLacking(await clerk.ask(`PUT ${one()}`, whole), ['sites.delete']);
    }
    const described = await clerk.ask(`PATCH ${one()}`, { comments: 'on leave' });
    expect(described.body).toMatchObject({ comments: 'on leave', email: '', real_name: '' });
    expect((await admin(`PATCH ${one()}`, { email: 'right@example.com' })).status).toBe(200);
  });

  it('cannot be deactivated and then deleted while inactive', async () => {
    await admin(`PATCH ${one()}`, { state: 'inactive' });
    expectLacking(await clerk.ask(`DELETE ${one()}`), ['sites.delete']);
    expectLacking(await clerk.ask(`PATCH ${one()}`, { state: 'active' }), ['sites.delete']);
  });

  it('cannot be locked out by disabling or deleting their domain', async () => {
    for (const state of ['disabled', 'hidden'])
      expectLacking(await clerk.ask(`PATCH ${domainsPath}/${domain.id}`, { state }), ['sites.delete']);
    expectLacking(await clerk.ask(`PUT ${domainsPath}/${domain.id}`, { ...domain, state: 'disabled' }), [
      'sites.delete',
    ]);
    expectLacking(await clerk.ask(`PATCH ${domainsPath}/${domain.id}`, { subjects: 'users' }), [
      'sites.delete',
    ]);
    expectLacking(await clerk.ask(`DELETE ${domainsPath}/${domain.id}`), ['sites.delete']);
    expect((await clerk.ask(`PATCH ${domainsPath}/${domain.id}`, { comments: 'noted' })).status).toBe(200);
  });

  it('cannot be redirected to another domain under the name or label of their login', async () => {
    const domain = await addDomain(admin);
    await addUser(admin, domain, { roles: [(await addRole(admin, ['sites.read'])).id] });
    const one = `${domainsPath}/${domain.id}`;
    expectLacking(await clerk.ask(`PATCH ${one}`, { small_name: unique('former') }), ['sites.read']);
    expectLacking(await clerk.ask(`PATCH ${one}`, { name: unique('former') }), ['sites.read']);
    expect((await clerk.ask(`PATCH ${one}`, { comments: 'described' })).status).toBe(200);
    expect((await admin(`PATCH ${one}`, { small_name: unique('renamed') })).status).toBe(200);
  });

  it('keeps the second factor unless the caller has all permissions: by a new, changed or joined group', async () => {
    const group = await addGroup(admin, domain);
    const skipping = await addGroup(admin, domain, { skip_two_factor: true });
    await admin(`PATCH ${one()}`, { groups: [group.id] });
    const groupPath = `${groupsPath(domain)}/${group.id}`;
    const lacksMost = ({ status, body }: Answer) => {
      expect([status, body.code]).toEqual([403, 'forbidden']);
      expect(body.missing).toEqual(expect.arrayContaining(['audit.read', 'sites.delete']));
    };
    lacksMost(await clerk.ask(`PATCH ${groupPath}`, { skip_two_factor: true }));
    lacksMost(
      await clerk.ask(`POST ${groupsPath(domain)}`, { name: unique('skips'), skip_two_factor: true }),
    );
    const bound = {
      name: unique('bound'),
      external_id: 'cn=admins,dc=example,dc=com',
      skip_two_factor: true,
    };
    lacksMost(await clerk.ask(`POST ${groupsPath(domain)}`, bound));
    const joining = { name: unique('joining'), password: goodPassword, groups: [skipping.id] };
    lacksMost(await clerk.ask(`POST ${usersPath(domain)}`, joining));
    lacksMost(await clerk.ask(`DELETE ${groupsPath(domain)}/${skipping.id}`));
    lacksMost(await clerk.ask(`PATCH ${groupsPath(domain)}/${skipping.id}`, { skip_two_factor: false }));
    const everywhere = permissions;
    const bounded = await addMember(world, everywhere, [world.site.id]);
    expect((await bounded.ask(`PATCH ${groupPath}`, { skip_two_factor: true })).status).toBe(403);
    const equal = await addMember(world, everywhere);
    expect((await equal.ask(`PATCH ${groupPath}`, { skip_two_factor: true })).status).toBe(200);
    expect((await equal.ask(`PATCH ${groupPath}`, { skip_two_factor: false })).status).toBe(200);
    lacksMost(await clerk.ask(`PATCH ${one()}`, { groups: [group.id, skipping.id] }));
    expect((await clerk.ask(`PATCH ${groupPath}`, { comments: 'noted' })).status).toBe(200);
    expect((await clerk.ask(`PATCH ${one()}`, { groups: [] })).status).toBe(200);
    await admin(`PATCH ${one()}`, { groups: [skipping.id] });
    lacksMost(await clerk.ask(`PATCH ${one()}`, { groups: [] }));
  });

  it('can be changed by a caller with all the permissions of the user', async () => {
    const equal = await addMember(world, [...clerical, 'sites.delete']);
    expect((await equal.ask(`PATCH ${one()}`, { state: 'inactive' })).status).toBe(200);
    expect((await equal.ask(`DELETE ${one()}`)).status).toBe(204);
  });
});

describe('the own account of a caller', () => {
  const own = () => `${usersPath(world.domain)}/${clerk.user.id}`;

  it('keeps its state, kind, password and roles, and is not deleted', async () => {
    const changes = [
      { state: 'inactive' },
      { kind: 'service' },
      { password: 'another long pass phrase' },
      { roles: [] },
    ];
    for (const change of changes) {
      const { status, body } = await clerk.ask(`PATCH ${own()}`, change);
      expect([status, body.code, body.reason]).toEqual([409, 'invalid_state', 'own_account']);
    }
    expect((await clerk.ask(`DELETE ${own()}`)).body.reason).toBe('own_account');
    expect((await clerk.ask('GET /api/userinfo')).status).toBe(200);
  });

  it('can be described by PATCH and by the PUT of what was read', async () => {
    expect(
      (await clerk.ask(`PATCH ${own()}`, { real_name: 'Clerk', email: 'clerk@example.com' })).status,
    ).toBe(200);
    const { body } = await clerk.ask(`GET ${own()}`);
    expect((await clerk.ask(`PUT ${own()}`, body)).status).toBe(200);
  });

  it('does not lose its domain', async () => {
    const { status, body } = await clerk.ask(`DELETE ${domainsPath}/${world.domain.id}`);
    expect([status, body.reason]).toEqual([409, 'own_account']);
  });

  it('has no administrative permissions in a session of the user portal', async () => {
    const { token } = (await logIn(world.portal, world.domain, clerk.user, { portal: 'user' })).body;
    const { status, body } = await world.portal.send(`GET ${usersPath(world.domain)}`, { token });
    expect([status, body.required_permission]).toEqual([403, 'users.read']);
  });
});

describe('the built-in administrator', () => {
  it('cannot be changed by a caller that lacks a single permission', async () => {
    const all = (await admin(`GET ${base}/rbac/permissions`)).body.map(({ id }: Json) => id);
    const { ask } = await addMember(
      world,
      all.filter((id: string) => id !== 'themes.update'),
    );
    const { domain, admin: root } = await builtin(admin);
    const one = `${usersPath(domain)}/${root.id}`;
    expectLacking(await ask(`PATCH ${one}`, { password: 'mine from now on, all of it' }), ['themes.update']);
    expectLacking(await ask(`DELETE ${one}`), ['themes.update']);
  });
});
