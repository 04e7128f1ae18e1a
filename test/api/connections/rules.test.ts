import { describe, expect, it } from 'vitest';
import { permissions } from '../../../shared/context/permissions.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import {
  addDomain,
  addFarm,
  addGroup,
  addMember,
  addRule,
  addSite,
  addUser,
  adminOf,
  audited,
  base,
  domainsPath,
  groupsPath,
  memberOf,
  ruleBody,
  rulesPath,
  unique,
  usersPath,
  useWorld,
} from '../../support/factories.ts';
import type { Json } from '../../support/portal.ts';

const world = useWorld();
const admin = adminOf(world);

const add = (given: Json = {}) => addRule(admin, world.site, given);
const patch = ({ id }: Json, body: Json) => admin(`PATCH ${rulesPath}/${id}`, body);
const ids = (items: Json[]): string[] => items.map(({ id }) => id);
const byFarm = (a: Json, b: Json): number => (a.farm_id < b.farm_id ? -1 : 1);

describe('routing rules', () => {
  it('have every property in their answers, with defaults', async () => {
    const name = unique('rule');
    const match_tags = { any: ['b', 'a', 'b'] };
    const made = (await admin(`POST ${rulesPath}`, { name, site_id: world.site.id, match_tags })).body;
    expect(made).toEqual({
      id: made.id,
      name,
      site_id: world.site.id,
      site_name: world.site.name,
      comments: '',
      enabled: true,
      display_name: name,
      image_id: null,
      policy: 'priority',
      failover: true,
      failover_from_owned: false,
      affinity: 'session',
      members: [],
      match_tags: { any: ['a', 'b'], all: [] },
      users: [],
      groups: [],
      created_at: made.created_at,
      updated_at: made.created_at,
    });
  });

  it('store every written value, and audit one change when only the order of members differs', async () => {
    const [farm, other] = [await addFarm(admin, world.site), await addFarm(admin, world.site)];
    const [user, group] = [await addUser(admin, world.domain), await addGroup(admin, world.domain)];
    const given = {
      enabled: false,
      display_name: 'Office',
      policy: 'least_loaded',
      failover: false,
      failover_from_owned: true,
      affinity: 'last_used',
      members: [memberOf(other, { priority: 5 }), memberOf(farm, { enabled: false })],
      users: [user.id],
      groups: [group.id],
    };
    const rule = await add(given);
    expect(rule).toMatchObject({ ...given, members: given.members.toSorted(byFarm), match_tags: null });
    const { result, events } = await audited(world.portal, () =>
      patch(rule, { comments: 'x', members: rule.members.toReversed() }),
    );
    expect(result.body).toEqual({ ...rule, comments: 'x', updated_at: result.body.updated_at });
    expect(events).toMatchObject([{ changes: [{ field: 'comments', before: '', after: 'x' }] }]);
    const [first, second] = rule.members;
    const moved = await patch(rule, { members: [{ ...first, priority: 9 }, second] });
    expect(moved.body.members).toEqual([{ ...first, priority: 9 }, second]);
    const bare = { farm_id: farm.id, servicepool_uuid: newId() };
    expect((await patch(rule, { members: [bare] })).body.members).toEqual([
      { ...bare, priority: 1, enabled: true },
    ]);
  });

  it('are shown by their name until they get a display name, which a rename keeps', async () => {
    const rule = await add();
    const renamed = await patch(rule, { name: unique('new') });
    expect(renamed.body.display_name).toBe(rule.name);
    const nulled = await patch(rule, { display_name: null });
    expect(nulled.body.display_name).toBe(renamed.body.name);
    const { display_name: _, ...without } = nulled.body;
    const replaced = await admin(`PUT ${rulesPath}/${rule.id}`, { ...without, name: 'Replaced' });
    expect(replaced.body.display_name).toBe('Replaced');
    expect((await patch(rule, { display_name: ' ' })).body.errors).toMatchObject([
      { pointer: '/display_name' },
    ]);
  });

  it('cover pools either by members or by tags', async () => {
    const members = [memberOf(world.farm)];
    const match_tags = { any: [], all: ['office'] };
    const body = ruleBody(world.site, { match_tags: null });
    const attempts = [
      [{ ...body }, '/members'],
      [{ ...body, members: [] }, '/members'],
      [{ ...body, members, match_tags }, '/match_tags'],
      [{ ...body, match_tags: { any: [], all: [] } }, '/match_tags'],
      [{ ...body, match_tags: {} }, '/match_tags'],
      [{ ...body, match_tags: { any: ['not a tag'] } }, '/match_tags/any/0'],
      [{ ...body, match_tags: { any: ['a'], some: ['office'] } }, '/match_tags/some'],
    ] as const;
    for (const [sent, pointer] of attempts) {
      const answer = await admin(`POST ${rulesPath}`, sent);
      expect([pointer, answer.status, answer.body.errors]).toMatchObject([pointer, 422, [{ pointer }]]);
    }
    const rule = await add({ members });
    expect((await patch(rule, { match_tags })).body.errors).toMatchObject([{ pointer: '/match_tags' }]);
    expect((await patch(rule, { members: null })).body.errors).toMatchObject([{ pointer: '/members' }]);
    expect((await patch(rule, { members: null, match_tags })).body).toMatchObject({
      members: [],
      match_tags,
    });
    expect((await patch(rule, { match_tags: { all: null, any: ['a'] } })).body.match_tags).toEqual({
      any: ['a'],
      all: [],
    });
  });

  it('may name several pools of one farm', async () => {
    const [first, second] = [memberOf(world.farm), memberOf(world.farm)].map((one) => ({
      ...one,
      servicepool_uuid: newId(),
    }));
    const { status, body } = await admin(
      `POST ${rulesPath}`,
      ruleBody(world.site, { members: [first, second] }),
    );
    expect([status, body.members.length]).toEqual([201, 2]);
    const { body: again } = await admin(`GET ${rulesPath}/${body.id}`);
    expect(again.members).toEqual(body.members);
  });

  it('name a pool at most once, and only farms of their own site', async () => {
    const foreign = await addFarm(admin, await addSite(admin));
    const once = memberOf(world.farm);
    const twice = [once, memberOf(await addFarm(admin, world.site)), { ...once, priority: 2 }];
    const rule = await add();
    const attempts = [
      [twice, '/members/2/servicepool_uuid', 'repeated'],
      [[memberOf(foreign)], '/members', 'not_found'],
      [[memberOf(world.farm), memberOf({ id: newId() })], '/members', 'not_found'],
    ] as const;
    for (const [members, pointer, code] of attempts)
      for (const answer of [
        await admin(`POST ${rulesPath}`, ruleBody(world.site, { members })),
        await patch(rule, { members, match_tags: null }),
      ])
        expect([pointer, answer.status, answer.body.errors]).toMatchObject([
          pointer,
          422,
          [{ pointer, code }],
        ]);
    expect((await admin(`GET ${rulesPath}/${rule.id}`)).body).toEqual(rule);
  });

  it.each([
    ['policy', 'best'],
    ['affinity', true],
    ['failover', 'yes'],
    ['site_id', null],
    ['users', ['x']],
    ['members', [{ farm_id: newId() }]],
    ['members', [{ farm_id: newId(), servicepool_uuid: newId(), weight: 1 }]],
    ['image', 'x'],
  ])('reject %s with the value %j', async (member, value) => {
    const { status, body } = await admin(`POST ${rulesPath}`, ruleBody(world.site, { [member]: value }));
    expect(status).toBe(422);
    expect(body.errors[0].pointer).toMatch(new RegExp(`^/${member}`));
  });

  it('are filtered by site and state, searched by display name, and listed and counted at their site', async () => {
    const site = await addSite(admin);
    const seen = unique('Seen');
    const on = await addRule(admin, site, { display_name: seen });
    const off = await addRule(admin, site, { enabled: false });
    const list = async (path: string) => ids((await admin(`GET ${path}`)).body.items).sort();
    expect(await list(`${rulesPath}?site_id=${site.id}`)).toEqual([on.id, off.id].sort());
    expect(await list(`${rulesPath}?site_id=${site.id}&enabled=false`)).toEqual([off.id]);
    expect(await list(`${rulesPath}?search=${seen.toUpperCase()}`)).toEqual([on.id]);
    expect(await list(`${base}/sites/${site.id}/rules`)).toEqual([on.id, off.id].sort());
    expect(await list(`${base}/sites/${site.id}/rules?enabled=true`)).toEqual([on.id]);
    expect((await admin(`GET ${base}/sites/${site.id}`)).body.rules_count).toBe(2);
  });

  it('have no bulk_destroy operation', async () => {
    expect((await admin(`POST ${rulesPath}/bulk_destroy`, { all: true })).status).toBe(405);
  });
});

describe('a record that rules refer to', () => {
  it('cannot be deleted, and the conflict names the rules', async () => {
    const [site, domain] = [await addSite(admin), await addDomain(admin)];
    const farm = await addFarm(admin, site);
    const [user, group] = [await addUser(admin, domain), await addGroup(admin, domain)];
    const rule = await addRule(admin, site, {
      members: [memberOf(farm)],
      users: [user.id],
      groups: [group.id],
    });
    const reference = { type: 'rule', id: rule.id, name: rule.name };
    const paths = [
      `${base}/farms/${farm.id}`,
      `${usersPath(domain)}/${user.id}`,
      `${groupsPath(domain)}/${group.id}`,
      `${domainsPath}/${domain.id}`,
      `${base}/sites/${site.id}`,
    ];
    for (const path of paths) {
      const { status, body } = await admin(`DELETE ${path}`);
      expect([path, status, body.references]).toEqual([path, 409, expect.arrayContaining([reference])]);
    }
    for (const [collection, { id }] of [
      [`${base}/farms`, farm],
      [usersPath(domain), user],
      [groupsPath(domain), group],
      [domainsPath, domain],
      [`${base}/sites`, site],
    ] as const) {
      const { body } = await admin(`POST ${collection}/bulk_destroy`, { ids: [id] });
      expect(body.failed).toMatchObject([{ id, code: 'in_use' }]);
    }
    expect((await admin(`DELETE ${rulesPath}/${rule.id}`)).status).toBe(204);
    for (const path of paths) expect([path, (await admin(`DELETE ${path}`)).status]).toEqual([path, 204]);
  });

  it('cannot move to another site when it is a farm, and its rule cannot either', async () => {
    const [here, there] = [await addSite(admin), await addSite(admin)];
    const farm = await addFarm(admin, here);
    const rule = await addRule(admin, here, { members: [memberOf(farm)] });
    const move = () => admin(`PATCH ${base}/farms/${farm.id}`, { site_id: there.id });
    const refused = await move();
    expect([refused.status, refused.body.code, refused.body.references]).toEqual([
      409,
      'in_use',
      [{ type: 'rule', id: rule.id, name: rule.name }],
    ]);
    const replaced = await admin(`PUT ${base}/farms/${farm.id}`, { ...farm, site_id: there.id });
    expect(replaced.body.code).toBe('in_use');
    expect((await admin(`PATCH ${base}/farms/${farm.id}`, { site_id: here.id })).status).toBe(200);
    const moved = await patch(rule, { site_id: there.id });
    expect([moved.status, moved.body.errors]).toMatchObject([422, [{ pointer: '/members' }]]);
    const elsewhere = await addFarm(admin, there);
    const both = await patch(rule, { site_id: there.id, members: [memberOf(elsewhere)] });
    expect([both.status, both.body.site_id]).toEqual([200, there.id]);
    expect((await move()).status).toBe(200);
  });

  it('stays in one site when a move of a farm and a write of a rule run concurrently', async () => {
    const [here, there] = [await addSite(admin), await addSite(admin)];
    for (let round = 0; round < 8; round++) {
      const farm = await addFarm(admin, here);
      const rule = await addRule(admin, here);
      const [move, naming] = await Promise.all([
        admin(`PATCH ${base}/farms/${farm.id}`, { site_id: there.id }),
        patch(rule, { members: [memberOf(farm)], match_tags: null }),
      ]);
      expect([
        [200, 422],
        [409, 200],
      ]).toContainEqual([move.status, naming.status]);
      const creation = { members: [memberOf(farm)] };
      const made = await admin(`POST ${rulesPath}`, ruleBody(here, creation));
      expect(made.status).toBe(move.status === 200 ? 422 : 201);
    }
  });
});

describe('an administrator of one site', () => {
  it('reads and writes the rules of that site only', async () => {
    const [own, other] = [await addSite(admin), await addSite(admin)];
    const { ask } = await addMember(world, permissions, [own.id]);
    const foreignFarm = await addFarm(admin, other);
    const foreign = await addRule(admin, other, { members: [memberOf(foreignFarm)] });
    const mine = await addRule(ask, own);
    expect(ids((await ask(`GET ${rulesPath}`)).body.items)).toEqual([mine.id]);
    expect((await ask(`GET ${base}/sites/${other.id}/rules`)).status).toBe(404);
    expect(ids((await ask(`GET ${base}/sites/${own.id}/rules`)).body.items)).toEqual([mine.id]);
    const one = `${rulesPath}/${foreign.id}`;
    for (const [verb, body] of [['GET'], ['PUT', foreign], ['PATCH', { comments: 'x' }], ['DELETE']] as const)
      expect([verb, (await ask(`${verb} ${one}`, body)).status]).toEqual([verb, 404]);
    const attempts = (siteId: string, farm: Json) => [
      ask(`POST ${rulesPath}`, ruleBody({ id: siteId })),
      ask(`PATCH ${rulesPath}/${mine.id}`, { site_id: siteId }),
      ask(`PATCH ${rulesPath}/${mine.id}`, { match_tags: null, members: [memberOf(farm)] }),
    ];
    const problems = async (answers: ReturnType<typeof attempts>) =>
      (await Promise.all(answers)).map(({ status, body: { instance: _, ...problem } }) => [status, problem]);
    const refused = await problems(attempts(other.id, foreignFarm));
    expect(refused.map(([status]) => status)).toEqual([422, 422, 422]);
    expect(refused).toEqual(await problems(attempts(newId(), { id: newId() })));
    expect((await ask(`PATCH ${rulesPath}/${mine.id}`, { comments: 'x' })).status).toBe(200);
    expect((await ask(`DELETE ${rulesPath}/${mine.id}`)).status).toBe(204);
    expect((await admin(`GET ${one}`)).body).toEqual(foreign);
  });
});
