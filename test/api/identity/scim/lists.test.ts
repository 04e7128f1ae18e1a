import { beforeAll, describe, expect, it } from 'vitest';
import { useWorld } from '../../../support/factories.ts';
import {
  addScimGroup,
  addScimUser,
  filtered,
  type ScimClient,
  startScim,
} from '../../../support/identity/scim.ts';
import type { Json } from '../../../support/portal.ts';

const world = useWorld();
let scim: ScimClient;
const names = ['anna', 'Bert', 'carl', 'Dora', 'emil'];
beforeAll(async () => {
  scim = await startScim(world);
  for (const [at, name] of names.entries())
    await addScimUser(scim, { userName: name, displayName: `Person ${5 - at}`, active: at !== 2 });
  await addScimGroup(scim, [], { displayName: 'Team' });
});

const namesIn = ({ Resources }: Json) =>
  Resources.map(({ userName, displayName }: Json) => userName ?? displayName);
const list = async (query: string) => (await scim.ask(`GET /Users?${query}`)).body;

describe('a list', () => {
  it('is paged by index', async () => {
    expect(await list('startIndex=2&count=2')).toMatchObject({
      totalResults: 5,
      itemsPerPage: 2,
      startIndex: 2,
    });
    expect(namesIn(await list('startIndex=2&count=2'))).toEqual(['Bert', 'carl']);
    expect(namesIn(await list('startIndex=0&count=1000'))).toEqual(names);
    expect(await list('count=0')).toMatchObject({ totalResults: 5, itemsPerPage: 0, Resources: [] });
    expect(await list('count=-3')).toMatchObject({ itemsPerPage: 0 });
    expect(await list('startIndex=9')).toMatchObject({ totalResults: 5, Resources: [] });
  });

  it('is paged by cursor', async () => {
    const seen: string[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const page: Json = await list(`count=2&cursor=${encodeURIComponent(cursor)}`);
      expect(page).toMatchObject({ totalResults: 5 });
      expect(page).not.toHaveProperty('startIndex');
      seen.push(...namesIn(page));
      cursor = page.nextCursor;
    }
    expect(seen).toEqual(names);
  });

  it('refuses a cursor of another list, and a number of 0 with one', async () => {
    const { nextCursor } = await list('count=2&cursor=');
    for (const query of [
      'x',
      `${nextCursor}A`,
      `${nextCursor}&filter=active eq true`,
      `${nextCursor}&sortBy=userName`,
    ]) {
      const refused = await list(`count=2&cursor=${query}`);
      expect(refused).toMatchObject({ status: '400', scimType: 'invalidCursor' });
    }
    expect(await list('count=0&cursor=')).toMatchObject({ status: '400', scimType: 'invalidCount' });
  });

  it.each([
    ['userName', names],
    ['displayName', [...names].reverse()],
    ['name.formatted', [...names].reverse()],
    ['meta.created', names],
    ['id', names],
  ])('is sorted by %s, in both directions and by cursor', async (by, expected) => {
    expect(namesIn(await list(`sortBy=${by}`))).toEqual(expected);
    const descending = [...expected].reverse();
    expect(namesIn(await list(`sortBy=${by}&sortOrder=descending`))).toEqual(descending);
    const first = await list(`sortBy=${by}&sortOrder=descending&count=2&cursor=`);
    const next = await list(
      `sortBy=${by}&sortOrder=descending&count=9&cursor=${encodeURIComponent(first.nextCursor)}`,
    );
    expect([...namesIn(first), ...namesIn(next)]).toEqual(descending);
  });

  it.each([
    ['userName eq "BERT"', ['Bert']],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "bert"', ['Bert']],
    ['userName co "r"', ['Bert', 'carl', 'Dora']],
    ['userName sw "a" or userName ew "L"', ['anna', 'carl', 'emil']],
    ['not (userName gt "bert") and active eq true', ['anna', 'Bert']],
    ['active eq "False"', ['carl']],
    ['emails pr', []],
    ['not (emails pr)', names],
    ['externalId eq null', names],
    ['meta.lastModified gt "2020-01-01T00:00:00Z" and userName le "Bert"', ['anna', 'Bert']],
    ['emails[type eq "work"].value eq "x@example.com"', []],
  ])('is filtered by %s', async (filter, expected) => {
    expect(namesIn((await scim.ask(filtered('/Users', filter))).body)).toEqual(expected);
    const searched = await scim.ask('POST /Users/.search', { filter, attributes: ['userName'] });
    expect(namesIn(searched.body)).toEqual(expected);
  });

  it.each([
    'userName',
    'userName eq',
    'userName eq an(na',
    'eq "x"',
    'userName eq "a" and',
    '(userName eq "a"',
    'userName eq "a")',
    'not userName eq "a"',
    'nothing eq "a"',
    'userName eq 5',
    'active gt true',
    'meta.created eq "then"',
    'userName gt null',
    'emails[value eq "a"',
    "userName eq 'a'",
    `${'('.repeat(40)}userName pr${')'.repeat(40)}`,
    `userName eq "${'a'.repeat(4_090)}"`,
    Array(200).fill('userName eq "a"').join(' or ').concat(' or userName pr'.repeat(60)),
    'userName eq "a\\"',
    'displayName eq "a"; drop table users',
  ])('refuses the filter %s', async (filter) => {
    const refused = await scim.ask('POST /Users/.search', { filter });
    expect([refused.status, refused.body.scimType ?? refused.body.detail]).toEqual([
      400,
      expect.stringMatching(/invalid(Filter|Value)/),
    ]);
  });

  it('contains users and groups in the search of both', async () => {
    const search = async (body: Json) => (await scim.ask('POST /.search', body)).body;
    const all = await search({ schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'] });
    expect(all).toMatchObject({ totalResults: 6, itemsPerPage: 6, startIndex: 1 });
    expect(namesIn(all)).toEqual([...names, 'Team']);
    expect(namesIn(await search({ startIndex: 5, count: 2 }))).toEqual(['emil', 'Team']);
    expect(namesIn(await search({ startIndex: 6 }))).toEqual(['Team']);
    expect(namesIn(await search({ filter: 'userName eq "anna" or displayName eq "team"' }))).toEqual([
      'anna',
      'Team',
    ]);
    expect(namesIn(await search({ filter: 'meta.resourceType eq "Group"' }))).toEqual(['Team']);
    for (const sortBy of ['nothing', 'members'])
      expect(await search({ sortBy })).toMatchObject({ status: '400', scimType: 'invalidFilter' });
  });

  it.each([
    // What a type does not have is last in ascending order.
    ['userName', [...names, 'Team']],
    ['displayName', [...[...names].reverse(), 'Team']],
    ['meta.created', [...names, 'Team']],
    ['id', [...names, 'Team']],
    ['emails', [...names, 'Team'].map(() => expect.any(String))],
    ['meta.resourceType', ['Team', ...names]],
  ])('is one order of both types by %s, by index and by cursor', async (sortBy, expected) => {
    for (const sortOrder of ['ascending', 'descending']) {
      const order = sortOrder === 'ascending' ? expected : [...expected].reverse();
      const search = async (body: Json) =>
        (await scim.ask('POST /.search', { sortBy, sortOrder, ...body })).body;
      const whole = namesIn(await search({}));
      expect(whole).toEqual(order);
      expect([...whole].sort()).toEqual([...names, 'Team'].sort());
      const byIndex = [await search({ count: 4 }), await search({ startIndex: 5, count: 4 })];
      expect(byIndex.flatMap(namesIn)).toEqual(whole);
      const seen: string[] = [];
      for (let cursor: string | undefined = ''; cursor !== undefined; ) {
        const page: Json = await search({ count: 2, cursor });
        expect(page).toMatchObject({ totalResults: 6 });
        seen.push(...namesIn(page));
        cursor = page.nextCursor;
      }
      expect(seen).toEqual(whole);
    }
  });

  it('refuses a cursor of the search of one type', async () => {
    const { nextCursor } = (await scim.ask('POST /Users/.search', { count: 2, cursor: '' })).body;
    const refused = await scim.ask('POST /.search', { count: 2, cursor: nextCursor });
    expect(refused.body).toMatchObject({ status: '400', scimType: 'invalidCursor' });
  });

  it('has unassigned values last in ascending order, and first in descending order', async () => {
    const named = await addScimUser(scim, { userName: 'zoe', name: { familyName: 'Aaron' } });
    for (const [order, place] of [
      ['ascending', 0],
      ['descending', -1],
    ] as const) {
      const path = `sortBy=name.familyName&sortOrder=${order}`;
      const { Resources } = await list(path);
      expect(Resources.at(place).id).toBe(named.id);
      const first = await list(`${path}&count=3&cursor=`);
      const rest = await list(`${path}&count=9&cursor=${encodeURIComponent(first.nextCursor)}`);
      expect([...namesIn(first), ...namesIn(rest)]).toEqual(namesIn({ Resources }));
    }
    await scim.ask(`DELETE /Users/${named.id}`);
  });
});

describe('the description of the server', () => {
  it('names its capabilities', async () => {
    const { body } = await scim.ask('GET /ServiceProviderConfig');
    expect(body).toMatchObject({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
      patch: { supported: true },
      bulk: { supported: true, maxOperations: 100, maxPayloadSize: 4_194_304 },
      filter: { supported: true, maxResults: 200 },
      changePassword: { supported: false },
      pagination: { cursor: true, index: true },
    });
  });

  it('contains schemas and types of resources, each at its address', async () => {
    for (const path of ['Schemas', 'ResourceTypes']) {
      const { body } = await scim.ask(`GET /${path}`);
      expect(body).toMatchObject({
        totalResults: 2,
        schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
      });
      for (const resource of body.Resources) {
        expect((await scim.ask(`GET /${path}/${resource.id}`)).body).toEqual(resource);
        expect(resource.meta.location).toBe(
          `https://portal.test/scim/v2/${scim.domain.id}/${path}/${resource.id}`,
        );
      }
    }
    expect((await scim.ask('GET /Schemas/urn:none')).status).toBe(404);
  });
});
