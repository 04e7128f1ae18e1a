import { beforeEach, describe, expect, it } from 'vitest';
import {
  addDomain,
  addGroup,
  addMember,
  addSite,
  addUser,
  adminOf,
  audited,
  domainsPath,
  groupsPath,
  logIn,
  type Member,
  unique,
  usersPath,
  useWorld,
} from '../../support/factories.ts';
import type { Answer, Json } from '../../support/portal.ts';

const world = useWorld();
let domain: Json;
const admin = adminOf(world);

beforeEach(async () => {
  domain = await addDomain(admin);
});

const group = (given: Json = {}) => addGroup(admin, domain, given);
const meta = (parts: Json[], given: Json = {}) =>
  group({ type: 'meta', groups: parts.map(({ id }) => id), ...given });
const one = ({ id }: Json): string => `${groupsPath(domain)}/${id}`;
const userWith = (...groups: Json[]) => addUser(admin, domain, { groups: groups.map(({ id }) => id) });
const read = async (what: Json) => (await admin(`GET ${one(what)}`)).body;
const faultsOf = ({ status, body }: Answer) => [status, body.errors?.map(({ pointer }: Json) => pointer)];

describe('a meta group', () => {
  it('consists of groups in any order, and returns them', async () => {
    const [a, b] = [await group(), await group()];
    const made = await meta([b, a, b]);
    expect(made).toMatchObject({
      type: 'meta',
      groups: [a.id, b.id].sort(),
      meta_if_any: false,
      users_count: 0,
    });
    const { events } = await audited(world.portal, () =>
      admin(`PATCH ${one(made)}`, { groups: [b.id, a.id].sort().reverse(), comments: 'noted' }),
    );
    expect(events[0]?.changes).toEqual([{ field: 'comments', before: '', after: 'noted' }]);
    expect((await admin(`PUT ${one(made)}`, { ...made, groups: [a.id] })).body.groups).toEqual([a.id]);
    expect((await admin(`GET ${groupsPath(domain)}?type=meta`)).body.items.map(({ id }: Json) => id)).toEqual(
      [made.id],
    );
  });

  it('needs at least one group; ordinary groups have none, and neither type becomes the other', async () => {
    const [a, b] = [await group(), await group()];
    const made = await meta([a]);
    const create = (given: Json) => admin(`POST ${groupsPath(domain)}`, { name: unique('group'), ...given });
    expect(faultsOf(await create({ type: 'meta' }))).toEqual([422, ['/groups']]);
    expect(faultsOf(await create({ groups: [a.id] }))).toEqual([422, ['/groups']]);
    expect(faultsOf(await create({ type: 'meta', groups: [a.id], external_id: 'cn=x' }))).toEqual([
      422,
      ['/external_id'],
    ]);
    expect(faultsOf(await admin(`PATCH ${one(made)}`, { groups: [] }))).toEqual([422, ['/groups']]);
    expect(faultsOf(await admin(`PATCH ${one(b)}`, { groups: [a.id] }))).toEqual([422, ['/groups']]);
    expect(faultsOf(await admin(`PATCH ${one(made)}`, { type: 'group', groups: [] }))).toEqual([
      422,
      ['/type'],
    ]);
    expect(faultsOf(await admin(`PATCH ${one(b)}`, { type: 'meta', groups: [a.id] }))).toEqual([
      422,
      ['/type'],
    ]);
  });

  it('consists of existing ordinary groups of its own domain', async () => {
    const [a, foreign] = [await group(), await addGroup(admin, world.domain)];
    const inner = await meta([a]);
    const unknown = '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11';
    for (const part of [inner.id, foreign.id, unknown]) {
      const body = { name: unique('meta'), type: 'meta', groups: [a.id, part] };
      expect(faultsOf(await admin(`POST ${groupsPath(domain)}`, body))).toEqual([422, ['/groups']]);
    }
    expect(faultsOf(await admin(`PATCH ${one(inner)}`, { groups: [inner.id] }))).toEqual([422, ['/groups']]);
  });

  it('has no direct members', async () => {
    const [a, user] = [await group(), await userWith()];
    const made = await meta([a]);
    const path = `${usersPath(domain)}/${user.id}`;
    expect(faultsOf(await admin(`PATCH ${path}`, { groups: [made.id] }))).toEqual([422, ['/groups']]);
    expect((await admin(`PATCH ${path}`, { groups: [a.id] })).status).toBe(200);
  });

  it('counts and lists its effective active members: those in all groups, or in any', async () => {
    const [a, b] = [await group(), await group()];
    const [both, first] = [await userWith(a, b), await userWith(a)];
    await userWith();
    const [all, any] = [await meta([a, b]), await meta([a, b], { meta_if_any: true })];
    const counts = async () => [(await read(all)).users_count, (await read(any)).users_count];
    const idsIn = async (what: Json) =>
      (await admin(`GET ${usersPath(domain)}?group=${what.id}`)).body.items.map(({ id }: Json) => id).sort();
    expect(await counts()).toEqual([1, 2]);
    expect(await idsIn(all)).toEqual([both.id]);
    expect(await idsIn(any)).toEqual([both.id, first.id].sort());
    await admin(`PATCH ${one(b)}`, { state: 'inactive' });
    expect(await counts()).toEqual([0, 2]);
    await admin(`PATCH ${one(a)}`, { state: 'inactive' });
    expect(await counts()).toEqual([0, 0]);
  });

  it('grants a site to its effective members only', async () => {
    const [a, b] = [await group(), await group()];
    const [both, first] = [await userWith(a, b), await userWith(a)];
    const made = await meta([a, b]);
    const site = await addSite(admin, { groups: [made.id] });
    const sitesOf = async (user: Json) => {
      const { token } = (await logIn(world.portal, domain, user)).body;
      return (await world.portal.send('GET /api/userinfo', { token })).body.sites.map(({ id }: Json) => id);
    };
    expect([await sitesOf(both), await sitesOf(first)]).toEqual([[site.id], []]);
    await admin(`PATCH ${one(made)}`, { meta_if_any: true });
    expect(await sitesOf(first)).toEqual([site.id]);
  });
});

describe('the deletion of groups', () => {
  it('is refused for a part of a meta group, with its name, until the meta group is deleted', async () => {
    const a = await group();
    const made = await meta([a]);
    const refused = await admin(`DELETE ${one(a)}`);
    expect([refused.status, refused.body.code, refused.body.references]).toEqual([
      409,
      'in_use',
      [{ type: 'group', id: made.id, name: made.name }],
    ]);
    const { body } = await admin(`POST ${groupsPath(domain)}/bulk_destroy`, { ids: [a.id] });
    expect(body).toMatchObject({ deleted_count: 0, failed: [{ id: a.id, code: 'in_use' }] });
    expect((await admin(`DELETE ${one(made)}`)).status).toBe(204);
    expect((await admin(`DELETE ${one(a)}`)).status).toBe(204);
  });

  it('accepts both together, in any order', async () => {
    const [a, b] = [await group(), await group()];
    const made = await meta([a, b]);
    const c = await group();
    await admin(`PATCH ${one(made)}`, { groups: [a.id, c.id] });
    const { result, events } = await audited(world.portal, () =>
      admin(`POST ${groupsPath(domain)}/bulk_destroy`, { all: true }),
    );
    expect(result.body).toMatchObject({ deleted_count: 4, failed_count: 0 });
    expect(events).toHaveLength(1);
    expect((await admin(`GET ${groupsPath(domain)}?count=exact`)).body.total).toBe(0);
  });

  it('deletes the named ones, and keeps the parts of a remaining meta group', async () => {
    const [a, b, c] = [await group(), await group(), await group()];
    const [goes, stays] = [await meta([a, b]), await meta([b])];
    await addSite(admin, { groups: [stays.id] });
    const { body } = await admin(`POST ${groupsPath(domain)}/bulk_destroy`, { all: true });
    expect(body.deleted.sort()).toEqual([a.id, c.id, goes.id].sort());
    expect(body.failed.map(({ id, code }: Json) => [id, code]).sort()).toEqual(
      [
        [b.id, 'in_use'],
        [stays.id, 'in_use'],
      ].sort(),
    );
  });

  it('happens with the deletion of their domain, one by one and in bulk', async () => {
    const a = await group();
    await meta([a, await group()]);
    expect((await admin(`DELETE ${domainsPath}/${domain.id}`)).status).toBe(204);
    domain = await addDomain(admin);
    await meta([await group()]);
    const { body } = await admin(`POST ${domainsPath}/bulk_destroy`, { ids: [domain.id] });
    expect(body).toMatchObject({ deleted_count: 1, failed_count: 0 });
  });
});

describe('a meta group that skips the second factor', () => {
  let clerk: Member;
  let strong: Json;
  let a: Json;
  let b: Json;
  beforeEach(async () => {
    clerk = await addMember(
      world,
      ['users', 'groups'].flatMap((what) => [
        `${what}.read`,
        `${what}.create`,
        `${what}.update`,
        `${what}.delete`,
      ]),
    );
    [a, b] = [await group(), await group()];
    const member = await addMember({ ...world, domain }, ['sites.delete'], '*', { groups: [a.id] });
    strong = member.user;
  });
  const strongPath = () => `${usersPath(domain)}/${strong.id}`;
  const expectLacking = ({ status, body }: Answer) =>
    expect([status, body.code, body.missing?.includes('sites.delete')]).toEqual([403, 'forbidden', true]);
  const skipping = { skip_two_factor: true };

  it('cannot be created, extended or withdrawn for a user with more permissions than the caller', async () => {
    const create = (given: Json) =>
      clerk.ask(`POST ${groupsPath(domain)}`, { name: unique('meta'), type: 'meta', ...skipping, ...given });
    expectLacking(await create({ groups: [a.id] }));
    expectLacking(await create({ groups: [a.id, b.id], meta_if_any: true }));
    expectLacking(await create({ groups: [a.id, b.id] }));
    const made = await meta([a, b], skipping);
    const patch = (change: Json) => clerk.ask(`PATCH ${one(made)}`, change);
    expectLacking(await patch({ groups: [a.id] }));
    expectLacking(await patch({ meta_if_any: true }));
    expectLacking(await clerk.ask(`PUT ${one(made)}`, { ...made, meta_if_any: true }));
    await admin(`PATCH ${one(made)}`, { meta_if_any: true });
    expectLacking(await patch({ meta_if_any: false }));
    expectLacking(await patch({ groups: [b.id] }));
    expectLacking(await patch({ skip_two_factor: false }));
    expectLacking(await patch({ state: 'inactive' }));
    expectLacking(await clerk.ask(`DELETE ${one(made)}`));
    const { body } = await clerk.ask(`POST ${groupsPath(domain)}/bulk_destroy`, { all: true });
    expect(body.failed.find(({ id }: Json) => id === made.id)?.code).toBe('forbidden');
    expect(body.failed.find(({ id }: Json) => id === a.id)?.code).toBe('in_use');
    expect((await patch({ comments: 'noted' })).status).toBe(200);
  });

  it('cannot be made to apply to a more privileged user by joining or leaving groups, or by its state', async () => {
    await meta([a, b], skipping);
    expectLacking(await clerk.ask(`PATCH ${strongPath()}`, { groups: [a.id, b.id] }));
    await admin(`PATCH ${strongPath()}`, { groups: [a.id, b.id] });
    expectLacking(await clerk.ask(`PATCH ${strongPath()}`, { groups: [a.id] }));
    expectLacking(await clerk.ask(`PATCH ${one(a)}`, { state: 'inactive' }));
    await admin(`PATCH ${one(a)}`, { state: 'inactive' });
    expectLacking(await clerk.ask(`PATCH ${one(a)}`, { state: 'active' }));
    const free = await group();
    expect((await clerk.ask(`PATCH ${one(free)}`, { state: 'inactive' })).status).toBe(200);
    expect((await clerk.ask(`PATCH ${strongPath()}`, { groups: [a.id, b.id, free.id] })).status).toBe(200);
  });

  it('is changed only by a caller with every permission, whatever its members', async () => {
    const made = await meta([b], skipping);
    await userWith(b);
    const other = await group();
    const wider = { groups: [b.id, other.id], meta_if_any: true };
    expectLacking(await clerk.ask(`PATCH ${one(made)}`, wider));
    expectLacking(await clerk.ask(`DELETE ${one(made)}`));
    expect((await admin(`PATCH ${one(made)}`, wider)).status).toBe(200);
    expect((await admin(`DELETE ${one(made)}`)).status).toBe(204);
  });
});
