import { beforeAll, describe, expect, it } from 'vitest';
import {
  type Ask,
  addDomain,
  addMember,
  addTag,
  audited,
  base,
  domainsPath,
  tagsPath,
  unique,
  useWorld,
} from '../../support/factories.ts';
import { addPortal } from '../../support/fleet/portal-rows.ts';

const world = useWorld();
let admin: Ask;

beforeAll(async () => {
  ({ admin } = world);
});

const domainWith = (tags: string[]) => addDomain(admin, { tags });
const tagsOf = async (domain: { id: string }) => (await admin(`GET ${domainsPath}/${domain.id}`)).body.tags;

describe('a tag', () => {
  it('is created with the first object that has it', async () => {
    const name = unique('tag');
    await domainWith([name]);
    const { body } = await admin(`GET ${tagsPath}?search=${name}`);
    expect(body.items).toMatchObject([{ name, source: 'manual', color: null, objects_count: 1 }]);
  });

  it('counts the domains and portals that have it, in any spelling', async () => {
    const tag = await addTag(admin);
    await domainWith([tag.name.toUpperCase()]);
    const portal = await addPortal(world.portal, { tags: [tag.name] });
    expect((await admin(`GET ${tagsPath}/${tag.id}`)).body.objects_count).toBe(2);
    expect((await admin(`GET ${base}/appnodes/portals?tag=${tag.name}`)).body.items).toMatchObject([
      { id: portal.id },
    ]);
  });

  it('stays on its objects when it is renamed, and their ETags change', async () => {
    const tag = await addTag(admin);
    const domain = await domainWith(['first', tag.name, 'last']);
    const before = await admin(`GET ${domainsPath}/${domain.id}`);
    const name = unique('renamed');
    expect((await admin(`PATCH ${tagsPath}/${tag.id}`, { name })).body).toMatchObject({
      name,
      objects_count: 1,
    });
    expect(await tagsOf(domain)).toEqual(['first', name, 'last']);
    const stale = { 'if-match': before.headers.get('etag') ?? '' };
    expect((await admin(`PATCH ${domainsPath}/${domain.id}`, { comments: 'late' }, stale)).status).toBe(412);
  });

  it('is attached to and detached from objects once, with an event of each', async () => {
    const [tag, one, other] = [await addTag(admin), await domainWith([]), await domainWith([])];
    const objects = [one, other].map(({ id }) => ({ type: 'authenticator', id }));
    const { result, events } = await audited(world.portal, () =>
      admin(`PATCH ${tagsPath}/${tag.id}`, { attach: [...objects, objects[0]] }),
    );
    expect(result).toMatchObject({ status: 200, body: { objects_count: 2 } });
    const ofTag = events.filter(({ object_type }) => object_type === 'tag');
    expect(ofTag).toMatchObject([{ changes: [{ field: 'attach', before: null }] }]);
    const ofObjects = events.filter((event) => !ofTag.includes(event)).map(({ object_id }) => object_id);
    expect(ofObjects.sort()).toEqual([one.id, other.id].sort());
    expect(await tagsOf(one)).toEqual([tag.name]);
    await admin(`PATCH ${tagsPath}/${tag.id}`, { detach: [objects[0]] });
    expect([await tagsOf(one), await tagsOf(other)]).toEqual([[], [tag.name]]);
  });

  it('accepts null in attach and detach as no change', async () => {
    const tag = await addTag(admin);
    for (const body of [{ attach: null }, { detach: null }, { attach: null, detach: null }])
      expect((await admin(`PATCH ${tagsPath}/${tag.id}`, body)).status).toBe(200);
  });

  it('is attached to all given objects or to none', async () => {
    const [tag, domain] = [await addTag(admin), await domainWith([])];
    const attach = [
      { type: 'authenticator', id: domain.id },
      { type: 'portal', id: '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11' },
    ];
    const refused = await admin(`PATCH ${tagsPath}/${tag.id}`, { attach });
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ pointer: '/attach/1/id' }] } });
    expect(await tagsOf(domain)).toEqual([]);
    const full = await domainWith(Array.from({ length: 50 }, (_, n) => `full-${n}`));
    const toFull = [{ type: 'authenticator', id: full.id }];
    expect(await admin(`PATCH ${tagsPath}/${tag.id}`, { attach: toFull })).toMatchObject({
      status: 409,
      body: { code: 'invalid_state', reason: 'too_many_tags' },
    });
  });

  it('is not deleted while an object has it', async () => {
    const tag = await addTag(admin);
    const domain = await domainWith([tag.name]);
    expect(await admin(`DELETE ${tagsPath}/${tag.id}`)).toMatchObject({
      status: 409,
      body: { code: 'in_use', references: [{ type: 'authenticator', id: domain.id, name: domain.name }] },
    });
    await admin(`PATCH ${domainsPath}/${domain.id}`, { tags: [] });
    expect((await admin(`DELETE ${tagsPath}/${tag.id}`)).status).toBe(204);
  });

  it('is attached and detached with the right to change the objects, and objects outside the scope are not named', async () => {
    const [tag, domain] = [await addTag(admin), await domainWith([])];
    const { ask } = await addMember(world, ['tags.read', 'tags.update', 'tags.delete', 'portals.update']);
    const objects = [{ type: 'authenticator', id: domain.id }];
    const manage = async (body: object) => {
      const answer = await ask(`PATCH ${tagsPath}/${tag.id}`, body);
      return [answer.status, answer.body.required_permission];
    };
    expect(await manage({ attach: objects })).toEqual([403, 'authenticators.update']);
    expect(await tagsOf(domain)).toEqual([]);
    const portal = await addPortal(world.portal, {});
    expect(await manage({ attach: [{ type: 'portal', id: portal.id }] })).toEqual([200, undefined]);
    await admin(`PATCH ${tagsPath}/${tag.id}`, { attach: objects });
    expect(await manage({ detach: objects })).toEqual([403, 'authenticators.update']);
    expect(await manage({ comments: 'mine' })).toEqual([200, undefined]);
    expect(await ask(`DELETE ${tagsPath}/${tag.id}`)).toMatchObject({
      status: 409,
      body: { code: 'in_use', references: [] },
    });
  });

  it.each([
    ['a name with a space', { name: 'two words' }, '/name'],
    ['a name of 65 characters', { name: 'x'.repeat(65) }, '/name'],
    ['a colour in words', { name: 'tag', color: 'red' }, '/color'],
    ['a source', { name: 'tag', origin: 'dispatcher' }, '/origin'],
  ])('is rejected with %s', async (_, body, pointer) => {
    expect(await admin(`POST ${tagsPath}`, body)).toMatchObject({
      status: 422,
      body: { errors: [{ pointer }] },
    });
  });

  it('is read with a limited scope and written with the scope of all sites only', async () => {
    const tag = await addTag(admin);
    const { ask } = await addMember(world, ['tags.read', 'tags.update'], [world.site.id]);
    expect((await ask(`GET ${tagsPath}/${tag.id}`)).status).toBe(200);
    expect((await ask(`PATCH ${tagsPath}/${tag.id}`, { comments: 'mine' })).status).toBe(403);
  });
});
