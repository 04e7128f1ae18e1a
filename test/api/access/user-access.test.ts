import { beforeAll, describe, expect, it } from 'vitest';
import {
  addDirectory,
  addGroup,
  addMember,
  addRole,
  addSite,
  addUser,
  adminOf,
  base,
  builtin,
  builtinRole,
  type Member,
  unique,
  usersPath,
  useWorld,
} from '../../support/factories.ts';
import type { Json } from '../../support/portal.ts';

const world = useWorld();
const admin = adminOf(world);
const accessOf = async ({ id }: Json, ask = admin) => ask(`GET ${base}/users/${id}/access`);

describe('the access of a user', () => {
  let site: Json;
  let member: Member;
  let wide: Json;
  beforeAll(async () => {
    site = await addSite(admin, { name: 'Northern site' });
    wide = await addRole(admin, ['sites.read', 'users.read'], { name: unique('wide') });
    member = await addMember(world, ['sites.read', 'farms.update'], [site.id]);
    const users = `${usersPath(world.domain)}/${member.user.id}`;
    await admin(`PATCH ${users}`, { roles: [member.role.id, wide.id] });
  });

  it('has each permission with its sites and the roles that grant it', async () => {
    const { status, body } = await accessOf(member.user);
    expect(status).toBe(200);
    const here = [{ id: site.id, name: 'Northern site' }];
    const byName = (id: string) => body.permissions.find((entry: Json) => entry.id === id);
    expect(body.permissions.map(({ id }: Json) => id)).toEqual(['farms.update', 'sites.read', 'users.read']);
    expect(byName('farms.update')).toEqual({ id: 'farms.update', sites: here, roles: [member.role.id] });
    expect(byName('sites.read').sites).toBe('*');
    expect(byName('sites.read').roles.toSorted()).toEqual([member.role.id, wide.id].toSorted());
    expect(byName('users.read')).toEqual({ id: 'users.read', sites: '*', roles: [wide.id] });
    const roles = new Map(body.roles.map((role: Json) => [role.id, role]));
    expect(roles.get(member.role.id)).toMatchObject({ sites: here, builtin: false });
    expect(roles.get(wide.id)).toMatchObject({ sites: '*', permissions: ['sites.read', 'users.read'] });
    expect(body).toMatchObject({ refusals: [], binding: 'none', locks: [], must_change_password: false });
    expect(body.sessions).toMatchObject({ total: 1, items: [{ portal: 'admin' }] });
    expect(JSON.stringify(body)).not.toMatch(/_hash|"password/);
  });

  it('has groups and the waiver of the second factor', async () => {
    const [first, second, unused] = await Promise.all([
      addGroup(admin, world.domain),
      addGroup(admin, world.domain),
      addGroup(admin, world.domain),
    ]);
    const meta = await addGroup(admin, world.domain, {
      type: 'meta',
      groups: [first?.id, second?.id],
      skip_two_factor: true,
    });
    const user = await addUser(admin, world.domain, { groups: [first?.id] });
    const names = async () => {
      const { body } = await accessOf(user);
      return [body.groups.map(({ id }: Json) => id).toSorted(), body.two_factor.is_waived];
    };
    expect(await names()).toEqual([[first?.id], false]);
    await admin(`PATCH ${usersPath(world.domain)}/${user.id}`, { groups: [first?.id, second?.id] });
    expect(await names()).toEqual([[first?.id, second?.id, meta.id].toSorted(), true]);
    expect(JSON.stringify(await names())).not.toContain(unused?.id);
  });

  it('says why a user cannot log in', async () => {
    const refusals = async (user: Json) => (await accessOf(user)).body.refusals;
    const off = await addUser(admin, world.domain, { state: 'inactive' });
    const service = await addUser(admin, world.domain, { kind: 'service', password: null });
    expect([await refusals(off), await refusals(service)]).toEqual([['user_inactive'], ['service_account']]);
    const directory = await addDirectory(admin, {}, { state: 'disabled', subjects: 'staff' });
    const stranger = await addUser(admin, directory, { password: null });
    expect(await refusals(stranger)).toEqual(['domain_disabled', 'staff_only']);
    await admin(`PATCH ${usersPath(directory)}/${stranger.id}`, { roles: [wide.id] });
    expect(await refusals(stranger)).toEqual(['domain_disabled', 'not_bound']);
    expect((await accessOf(stranger)).body.binding).toBe('unbound');
  });

  it('lists the first sessions and tokens, with their number', async () => {
    const service = await addUser(admin, world.domain, { kind: 'service', password: null });
    const tokens = `${usersPath(world.domain)}/${service.id}/tokens`;
    const in_days = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
    for (const days of [40, 10])
      await admin(`POST ${tokens}`, { name: `of ${days}`, expires_at: in_days(days), permissions: [] });
    const { tokens: shown } = (await accessOf(service)).body;
    expect([shown.total, shown.items.map(({ name }: Json) => name)]).toEqual([2, ['of 10', 'of 40']]);
  });

  it('hides roles, groups and names of sites that the caller cannot read', async () => {
    const { ask } = await addMember(world, ['users.read']);
    expect((await accessOf(member.user, ask)).body).toMatchObject({
      roles: null,
      permissions: null,
      groups: null,
    });
    const elsewhere = await addSite(admin);
    const narrow = await addMember(world, ['users.read', 'roles.read', 'sites.read'], [elsewhere.id]);
    const { roles } = (await accessOf(member.user, narrow.ask)).body;
    const named = roles.find(({ id }: Json) => id === member.role.id);
    expect(named.sites).toEqual([{ id: site.id, name: null }]);
  });

  it('is refused without the permission, and for an unknown user', async () => {
    const { ask } = await addMember(world, ['roles.read']);
    expect((await accessOf(member.user, ask)).status).toBe(403);
    expect((await accessOf({ id: site.id })).status).toBe(404);
    const { admin: first } = await builtin(admin);
    const id = await builtinRole(admin, 'administrator');
    expect((await accessOf(first)).body.roles).toMatchObject([{ id, builtin: true, sites: '*' }]);
  });
});
