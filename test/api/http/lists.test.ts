import { describe, expect, it } from 'vitest';
import { foldName } from '../../../shared/kernel/text.ts';
import {
  addDomain,
  create,
  type Resource,
  resources,
  unique,
  useWorld,
  type World,
} from '../../support/factories.ts';
import type { Answer, Json } from '../../support/portal.ts';

const world = useWorld();

const unknownId = '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11';

/** Objects with these names, oldest first. */
async function add(resource: Resource, names: readonly string[]): Promise<Json[]> {
  const items: Json[] = [];
  for (const [at, name] of names.entries()) {
    const numbered = { priority: { priority: at % 3 }, weight: { weight: 1 + (at % 3) } };
    const more = resource.sorts.includes('priority')
      ? numbered.priority
      : resource.sorts.includes('weight')
        ? numbered.weight
        : {};
    items.push(await create(world.admin, resource.path(world), { ...resource.body(world), ...more, name }));
  }
  return items;
}

const list = (resource: Resource, query: Record<string, string | number>): Promise<Answer> =>
  world.admin(`GET ${resource.path(world)}?${new URLSearchParams(query as Record<string, string>)}`);

/** All pages; `between` runs before each page but the first. */
async function walk(
  resource: Resource,
  query: Record<string, string | number>,
  between: (page: number) => Promise<unknown> = async () => undefined,
): Promise<Json[]> {
  const found: Json[] = [];
  let cursor: string | null = null;
  for (let page = 0; ; page++) {
    if (page > 0) await between(page);
    const { status, body }: Answer = await list(resource, { ...query, ...(cursor !== null && { cursor }) });
    expect(status).toBe(200);
    found.push(...body.items);
    cursor = body.next;
    if (cursor === null) return found;
  }
}

const names = (items: readonly Json[]): string[] => items.map(({ name }) => name);
const ids = (items: readonly Json[]): string[] => items.map(({ id }) => id);

function keyOf(item: Json, sort: string): string | number {
  const value = item[sort];
  return typeof value === 'string' && !sort.endsWith('_at') ? foldName(value) : value;
}

function ordered(items: readonly Json[], sort: string): string[] {
  const compare = (a: string | number, b: string | number) => (a < b ? -1 : a > b ? 1 : 0);
  return ids([...items].sort((a, b) => compare(keyOf(a, sort), keyOf(b, sort)) || compare(a.id, b.id)));
}

describe.each(
  resources.map((resource) => [resource.type, resource] as const),
)('the list of %ss', (_, resource) => {
  it('returns each row once in every declared order, ascending and descending, page by page', async () => {
    const prefix = unique('sorted');
    const made = await add(
      resource,
      ['b', 'A', 'ё', 'c', 'Ё2', 'a1', 'd'].map((end) => `${prefix} ${end}`),
    );
    const [name, value] = resource.plain;
    for (const item of [made[4], made[1]])
      await world.admin(`PATCH ${resource.path(world)}/${item.id}`, { [name]: value });
    const items = (await list(resource, { search: prefix })).body.items;
    expect(items).toHaveLength(7);
    for (const sort of resource.sorts) {
      const up = ids(await walk(resource, { search: prefix, sort, limit: 2 }));
      expect(up, sort).toEqual(ordered(items, sort));
      const down = ids(await walk(resource, { search: prefix, sort: `-${sort}`, limit: 3 }));
      expect(down, `-${sort}`).toEqual([...up].reverse());
    }
    expect(ids(items), 'by name unless told otherwise').toEqual(ordered(items, 'name'));
  });

  it('shows each object as it is read alone', async () => {
    const prefix = unique('same');
    await add(resource, [`${prefix} a`, `${prefix} b`]);
    for (const item of (await list(resource, { search: prefix })).body.items)
      expect(item).toEqual((await world.admin(`GET ${resource.path(world)}/${item.id}`)).body);
    expect.assertions(2);
  });

  it('finds any part of a name without regard to case, with % and _ as literals', async () => {
    const prefix = unique('found');
    await add(resource, [
      `${prefix} 50%_Off`,
      `${prefix} 50xxOff`,
      `${prefix} СЕВЕР Ё`,
      `${prefix} back\\slash`,
    ]);
    const search = async (text: string) => names((await list(resource, { search: text })).body.items);
    expect(await search(`${prefix} 50%_oFF`)).toEqual([`${prefix} 50%_Off`]);
    expect(await search(`${prefix} 50_`)).toEqual([]);
    expect(await search(`${prefix.toUpperCase()} север ё`)).toEqual([`${prefix} СЕВЕР Ё`]);
    expect(await search(`${prefix} back\\s`)).toEqual([`${prefix} back\\slash`]);
    expect(await search(`${prefix}%`)).toEqual([]);
  });

  it('neither skips nor repeats a remaining row while others are added and deleted between the pages', async () => {
    const prefix = unique('moving');
    const stay = ['b', 'd', 'f', 'h', 'j'].map((end) => `${prefix} ${end}`);
    await add(resource, stay);
    const goers = await add(
      resource,
      ['c', 'i'].map((end) => `${prefix} ${end}`),
    );
    const found = await walk(resource, { search: prefix, limit: 2 }, async (page) => {
      await add(resource, [`${prefix} a${page}`, `${prefix} e${page}`]);
      const goer = goers.pop();
      if (goer) await world.admin(`DELETE ${resource.path(world)}/${goer.id}`);
    });
    expect(names(found).filter((name) => stay.includes(name))).toEqual(stay);
    expect(new Set(ids(found)).size).toBe(found.length);
  });

  it('counts on request, and its link to the next page keeps the query', async () => {
    const prefix = unique('counted');
    await add(
      resource,
      ['1', '2', '3'].map((end) => `${prefix} ${end}`),
    );
    const first = await list(resource, { search: prefix, limit: 2, count: 'exact' });
    expect(first.body).toMatchObject({ total: 3 });
    expect(first.body.items).toHaveLength(2);
    const [, link = ''] = /^<(.+)>; rel="next"$/.exec(first.headers.get('link') ?? '') ?? [];
    const second = await world.admin(`GET ${resource.path(world)}${link}`);
    expect(second.body).toMatchObject({ total: 3, next: null });
    expect(second.body.items).toHaveLength(1);
    expect(second.headers.get('link')).toBeNull();
    expect((await list(resource, { search: prefix })).body).not.toHaveProperty('total');
  });

  it('rejects a cursor that was changed, or belongs to another order, search or list', async () => {
    const prefix = unique('cursor');
    await add(
      resource,
      ['1', '2'].map((end) => `${prefix} ${end}`),
    );
    const { next } = (await list(resource, { search: prefix, limit: 1 })).body;
    const other = resources.find(({ type }) => type !== resource.type);
    const attempts = [
      list(resource, {
        search: prefix,
        limit: 1,
        cursor: `${next.slice(0, -2)}${next.endsWith('AA') ? 'BB' : 'AA'}`,
      }),
      list(resource, { search: prefix, limit: 1, cursor: 'garbage' }),
      list(resource, { search: prefix, limit: 1, cursor: '' }),
      list(resource, { search: prefix, sort: '-name', cursor: next }),
      list(resource, { search: `${prefix} `, cursor: next }),
      list(resource, { cursor: next }),
      ...(other ? [list(other, { search: prefix, limit: 1, cursor: next })] : []),
    ];
    for (const { status, body } of await Promise.all(attempts))
      expect([status, body.code]).toEqual([400, 'malformed_cursor']);
    expect((await list(resource, { search: prefix, limit: 2, cursor: next })).body.items).toHaveLength(1);
  });

  it('rejects unknown limits, orders, counts and parameters, each by its name', async () => {
    const path = `GET ${resource.path(world)}`;
    const bad = [
      ['limit=0', '?limit'],
      ['limit=501', '?limit'],
      ['limit=1.5', '?limit'],
      ['limit=many', '?limit'],
      ['limit=1e2', '?limit'],
      ['limit=%205', '?limit'],
      ['limit=1.0', '?limit'],
      ['limit=0x10', '?limit'],
      ['limit=', '?limit'],
      ['limit=0005', '?limit'],
      ['sort=password', '?sort'],
      ['sort=--name', '?sort'],
      ['count=all', '?count'],
      ['bogus=1', '?bogus'],
      ['limit=1&limit=2', '?limit'],
      ['search=%00', '?search'],
    ] as const;
    for (const [query, pointer] of bad) {
      const { status, body } = await world.admin(`${path}?${query}`);
      expect([query, status, body.errors?.[0]?.pointer]).toEqual([query, 422, pointer]);
    }
    expect((await world.admin(`${path}?limit=500`)).status).toBe(200);
  });
});

describe('a nested list', () => {
  const { admin } = { admin: (...parts: Parameters<World['admin']>) => world.admin(...parts) };
  const nested = [
    'authenticators/{id}/users',
    'authenticators/{id}/groups',
    'sites/{id}/farms',
    'sites/{id}/rules',
    'farms/{id}/dispatchers',
  ];

  it.each(nested)('%s is 404 for an unknown owner and for an invalid UUID', async (path) => {
    const at = (id: string) => `GET /api/webui/aggregator/${path.replace('{id}', id)}`;
    expect((await admin(at(unknownId))).status).toBe(404);
    expect((await admin(at('nobody'))).status).toBe(404);
    expect((await admin(`${at(unknownId)}?count=exact`)).status).toBe(404);
  });

  it('contains the children of its owner only', async () => {
    const other = await addDomain(admin);
    const users = resources.find(({ type }) => type === 'user') as Resource;
    const name = unique('child');
    await create(admin, users.path(world), { ...users.body(world), name });
    await create(admin, users.path({ ...world, domain: other }), { ...users.body(world), name });
    expect((await list(users, { search: name, count: 'exact' })).body.total).toBe(1);
  });

  it('rejects a cursor of the list of another owner', async () => {
    const other = await addDomain(admin);
    const users = resources.find(({ type }) => type === 'user') as Resource;
    await add(users, [unique('first'), unique('second')]);
    const { next } = (await list(users, { limit: 1 })).body;
    const { status } = await admin(`GET ${users.path({ ...world, domain: other })}?limit=1&cursor=${next}`);
    expect(status).toBe(400);
  });
});
