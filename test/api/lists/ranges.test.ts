import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiDocument, catalogueOf } from '../../../shared/client/catalogue/catalogue.ts';
import type { Field, RecordKind } from '../../../shared/client/catalogue/record-kinds.ts';
import { resources as words } from '../../../shared/resources.ts';
import { base, create, resources, useWorld } from '../../support/factories.ts';
import { type Fleet, startFleet } from '../../support/fleet/fleet.ts';
import type { Json } from '../../support/portal.ts';

const document: ApiDocument = JSON.parse(
  await readFile(new URL('../../../shared/openapi/openapi.json', import.meta.url), 'utf8'),
);
const { kinds } = catalogueOf(document, words, '/api/webui/');

type Range = { name: string; kind: RecordKind; field: Field; from: string; to: string };

const ranges = kinds.flatMap((kind) =>
  kind.list.filters.flatMap((field): Range[] => {
    const { from, to } = field.range ?? {};
    return from === undefined || to === undefined
      ? []
      : [{ name: `${kind.type} by ${field.name}`, kind, field, from, to }];
  }),
);

const world = useWorld();
let fleet: Fleet;
beforeAll(async () => {
  fleet = await startFleet(world);
  for (const [at, priority] of [3, 30, 300].entries())
    for (const resource of resources) {
      const more = resource.sorts.includes('priority')
        ? { priority }
        : resource.sorts.includes('weight')
          ? { weight: 10 * (at + 1) }
          : {};
      await create(world.admin, resource.path(world), { ...resource.body(world), ...more });
    }
}, 60_000);
afterAll(() => fleet.simulator.close());

/** The list, as the administrator sees it; `auth_uuid` is the domain of the world. */
const pathOf = ({ path }: RecordKind): string => path.replace('{auth_uuid}', world.domain.id);

async function items({ kind }: Range, query: Record<string, string>): Promise<Json[]> {
  const { status, body } = await world.admin(
    `GET ${pathOf(kind)}?${new URLSearchParams({ limit: '500', ...query })}`,
  );
  expect([query, status, body.errors]).toEqual([query, 200, undefined]);
  return body.items;
}

/** A record that all of the following reads contain, whatever else changes meanwhile. */
const shown = (rows: readonly Json[], { field }: Range): string[] =>
  rows.map((row) => `${row.id ?? row.uuid ?? row.session_uuid} ${row[field.name]}`).sort();

/** Kinds whose records this file creates. */
const expected = new Set([...resources.map(({ type }) => type), 'workplace', 'servicespool', 'spsession']);

const listable = ranges.filter(({ kind }) => kind.parents.every((parent) => parent === 'auth_uuid'));

describe('a range of a list', () => {
  it('exists for the times and numbers of each kind', () => {
    const kindsWithRange = new Set(ranges.map(({ kind }) => kind.type));
    expect([...expected].filter((type) => !kindsWithRange.has(type))).toEqual([]);
    expect(ranges.length).toBeGreaterThan(50);
    const fields = new Set(ranges.map(({ name }) => name));
    for (const name of ['farm by weight', 'portalUser by last_login_at', 'servicespool by usage_percent'])
      expect(fields).toContain(name);
  });

  it.each(listable)('$name has the records from its start to its end', async (range) => {
    const { field, from, to, kind } = range;
    const isChanging = ['last_seen_at', 'last_check_at', 'updated_at', 'at'].includes(field.name);
    const all = (await items(range, {})).filter((row) => row[field.name] !== null);
    const values = [...new Set(all.map((row) => row[field.name]))].sort((a, b) => (a < b ? -1 : 1));
    const middle = values[Math.floor(values.length / 2)];
    if (expected.has(kind.type) && field.name === 'created_at') expect(values.length).toBeGreaterThan(0);
    const pivot = String(middle ?? (field.type === 'time' ? '2026-01-01T00:00:00.000Z' : 1));
    const [after, before] = [await items(range, { [from]: pivot }), await items(range, { [to]: pivot })];
    const isExclusive = field.type === 'time' && kind.type !== 'monitoring_record';
    expect(after.filter((row) => !(row[field.name] >= (middle ?? pivot)))).toEqual([]);
    const outside = before.filter((row) =>
      isExclusive ? row[field.name] >= (middle ?? pivot) : row[field.name] > (middle ?? pivot),
    );
    expect(outside).toEqual([]);
    if (isChanging || middle === undefined) return;
    expect(shown(after, range)).toEqual(
      shown(
        all.filter((row) => row[field.name] >= middle),
        range,
      ),
    );
    const isBefore = (row: Json) => (isExclusive ? row[field.name] < middle : row[field.name] <= middle);
    expect(shown(before, range)).toEqual(shown(all.filter(isBefore), range));
  });

  it.each(listable)('$name is refused if it ends before it begins', async ({ field, kind, from, to }) => {
    const [low, high] = field.type === 'time' ? ['2026-02-01T00:00:00Z', '2026-01-31T23:00:00Z'] : ['3', '2'];
    const { status, body } = await world.admin(
      `GET ${pathOf(kind)}?${new URLSearchParams({ [from]: low ?? '', [to]: high ?? '' })}`,
    );
    expect([status, body.code]).toEqual([422, 'invalid_request']);
    expect(body.errors).toEqual([
      { pointer: `?${to}`, code: 'custom', detail: `Must not be less than \`${from}\`` },
    ]);
  });

  it('has one record where both bounds are its value', async () => {
    const path = `${base}/farms`;
    const weights = (query: string) => world.admin(`GET ${path}?weight_min=20&weight_max=20${query}`);
    const { body } = await weights('&count=exact');
    expect(body.items.map(({ weight }: Json) => weight)).toEqual([20]);
    expect(body.total).toBe(1);
    expect((await weights('&site_id=01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11')).body.items).toEqual([]);
  });

  it('is continued by the cursor of its page only with the same bounds', async () => {
    const path = `${base}/farms?limit=1`;
    const { body } = await world.admin(`GET ${path}&weight_min=20`);
    const next = await world.admin(`GET ${path}&weight_min=20&cursor=${encodeURIComponent(body.next)}`);
    expect(next.status).toBe(200);
    const other = await world.admin(`GET ${path}&weight_min=10&cursor=${encodeURIComponent(body.next)}`);
    expect(other.body.code).toBe('malformed_cursor');
  });

  it.each([
    '1.5',
    'x',
    '',
    '1e3',
    '0x10',
    ' 1',
    '99999999999999',
  ])('refuses %o as a number', async (value) => {
    const { status, body } = await world.admin(
      `GET ${base}/farms?${new URLSearchParams({ weight_min: value })}`,
    );
    expect([status, body.errors?.[0]?.pointer]).toEqual([422, '?weight_min']);
  });

  it('restricts an export as it restricts the list', async () => {
    const bounds = { created_at_from: '2026-02-01T00:00:00Z', created_at_to: '2026-01-01T00:00:00Z' };
    const refused = await world.admin(`GET ${base}/tags/export?${new URLSearchParams(bounds)}`);
    expect([refused.status, refused.body.errors?.[0]?.pointer]).toEqual([422, '?created_at_to']);
    const ordered = await world.admin(`GET ${base}/tags/export?created_at_from=2026-02-01T00:00:00Z`);
    expect(ordered.status).toBe(202);
  });
});
