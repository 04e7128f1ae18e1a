import fc from 'fast-check';
import { filter as foreignFilter, parse } from 'scim2-parse-filter';
import { beforeAll, describe, expect, it } from 'vitest';
import { compareOperators, type Filter } from '../../../../db/repositories/identity/scim/filter.ts';
import { listUsers } from '../../../../db/repositories/identity/scim/pages.ts';
import { users } from '../../../../db/schema/identity/users.ts';
import { filterText } from '../../../../shared/identity/scim/filter-text.ts';
import { userResource } from '../../../../shared/identity/scim/users.ts';
import { newId } from '../../../../shared/kernel/ids.ts';
import { foldName } from '../../../../shared/kernel/text.ts';
import { addDomain, useWorld } from '../../../support/factories.ts';
import type { Json } from '../../../support/portal.ts';
import { filters } from '../../../unit/identity/scim/arbitraries.ts';

const world = useWorld();
let domainId: string;
let resources: Json[];

const words = ['a', 'ab', 'b', 'ba', 'a b', '%', '_', '\\', "'", 'é', 'я'];
const word = (at: number, step: number): string => words[(at * step) % words.length] ?? 'a';
const moments = ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.001Z', '2026-06-01T12:00:00.000Z'];

/** The first 40 users have all attributes, the others some of them. */
function rowOf(at: number) {
  const name = `${word(at, 1)}${at}`;
  const unlessMissing = (text: string, isMissing: boolean): string => (at >= 40 && isMissing ? '' : text);
  return {
    ...{ id: newId(), authenticator_id: domainId, name, name_key: foldName(name) },
    real_name: unlessMissing(word(at, 3), at % 2 === 0),
    given_name: unlessMissing(word(at, 5), at % 3 === 0),
    family_name: unlessMissing(word(at, 7), true),
    email: unlessMissing(`${word(at, 2)}@example.com`, at % 5 === 0),
    directory_id: unlessMissing(`id-${at}`, at % 2 === 0) || null,
    state: at % 4 ? ('active' as const) : ('inactive' as const),
    created_at: new Date(moments[at % 3] ?? ''),
  };
}

beforeAll(async () => {
  domainId = (await addDomain(world.admin)).id;
  const rows = Array.from({ length: 60 }, (_, at) => rowOf(at));
  await world.portal.db.insert(users).values(rows);
  const page = await listUsers(world.portal.db, { domainId, limit: 200, start: { offset: 0 } });
  resources = page.rows.map((row) => userResource(row, [], ''));
  expect(resources).toHaveLength(60);
});

const lower = [...words.filter((one) => !one.includes('\\')), 'a1', '@example.com', 'work', 'none'];
const textPath = fc
  .constantFrom(
    'userName',
    'displayName',
    'name.givenName',
    'NAME.familyName',
    'emails.value',
    'emails.type',
    'id',
  )
  .map(pathOf);
function pathOf(path: string) {
  const [name = '', sub] = path.split('.');
  return sub === undefined ? { name } : { name, sub };
}
const compare = fc.constant('compare' as const);
const operator = fc.constantFrom(...compareOperators);
const ordered = fc.constantFrom(
  'eq' as const,
  'ne' as const,
  'gt' as const,
  'ge' as const,
  'lt' as const,
  'le' as const,
);
const either = fc.constantFrom('eq' as const, 'ne' as const);

/** Filters that compare texts with these values. */
function filtersWith(
  texts: readonly string[],
  further: readonly fc.Arbitrary<Filter>[],
): fc.Arbitrary<Filter> {
  const value = fc.constantFrom(...texts);
  const plain: fc.Arbitrary<Filter> = fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: compare, path: textPath, operator, value }) },
    fc.record({
      kind: compare,
      path: fc.constant({ name: 'active' }),
      operator: either,
      value: fc.boolean(),
    }),
    fc.record({
      kind: compare,
      path: fc.constant({ name: 'meta', sub: 'created' }),
      operator: ordered,
      value: fc.constantFrom(...moments),
    }),
    fc.record({
      kind: fc.constant('present' as const),
      path: fc.oneof(textPath, fc.constant({ name: 'active' })),
    }),
    ...further,
  );
  const member: fc.Arbitrary<Filter> = fc.record({
    kind: compare,
    path: fc.constantFrom('value', 'type').map(pathOf),
    operator,
    value,
  });
  return filters(plain, () =>
    fc.record({
      kind: fc.constant('values' as const),
      path: fc.constant({ name: 'emails' }),
      part: filters(member, () => member),
    }),
  );
}

const shortPath = fc.constantFrom({ name: 'emails' }, { name: 'externalId' });
const anyFilter = filtersWith(
  [...words, ...lower, 'A', 'AB', 'id-7', 'ID-7'],
  [
    fc.record({ kind: compare, path: shortPath, operator, value: fc.constantFrom(...words, 'id-7', 'ID-7') }),
    fc.record({ kind: fc.constant('present' as const), path: shortPath }),
    fc.record({ kind: compare, path: textPath, operator: either, value: fc.constant(null) }),
  ],
);

const found = async (filter: Filter): Promise<string[]> => {
  const page = await listUsers(world.portal.db, { domainId, filter, limit: 200, start: { offset: 0 } });
  expect(page.total).toBe(page.rows.length);
  return page.rows.map(({ id }) => id).sort();
};

const exact = ['externalid', 'id'];

/** The meaning of a filter, written from RFC 7644 (3.4.2.2): text is compared without case unless the schema says otherwise. */
function matches(resource: Json, filter: Filter): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.parts.every((part) => matches(resource, part));
    case 'or':
      return filter.parts.some((part) => matches(resource, part));
    case 'not':
      return !matches(resource, filter.part);
    case 'values':
      return (resource[filter.path.name] ?? []).some((value: Json) => matches(value, filter.part));
    default: {
      const values = valuesAt(resource, filter.path);
      if (filter.kind === 'present') return values.length > 0;
      // Of a multi-valued attribute, one value must meet the condition.
      const isList = filter.path.name === 'emails';
      const isAbsent = filter.value === null;
      if (isAbsent)
        return (filter.operator === 'eq') === (values.length === 0) && !(isList && filter.operator === 'eq');
      if (values.length === 0) return !isList && filter.operator === 'ne';
      return values.some((value) => meets(value, filter, exact.includes(filter.path.name.toLowerCase())));
    }
  }
}

function valuesAt(resource: Json, { name, sub }: { name: string; sub?: string }): Json[] {
  const key = Object.keys(resource).find((own) => own.toLowerCase() === name.toLowerCase());
  const own = key === undefined ? undefined : resource[key];
  const list = own === undefined ? [] : [own].flat();
  const member = sub ?? (name === 'emails' ? 'value' : undefined);
  return list
    .map((one: Json) => (member === undefined ? one : one[member]))
    .filter((one: Json) => one !== undefined);
}

function meets(
  value: Json,
  { operator: verb, value: wanted }: Extract<Filter, { kind: 'compare' }>,
  isExact: boolean,
): boolean {
  const fold = (one: unknown): string => (isExact ? String(one) : String(one).toLowerCase());
  const [one, other] = [fold(value), fold(wanted)];
  const order = Buffer.compare(Buffer.from(one), Buffer.from(other));
  return {
    eq: one === other,
    ne: one !== other,
    co: one.includes(other),
    sw: one.startsWith(other),
    ew: one.endsWith(other),
    gt: order > 0,
    ge: order >= 0,
    lt: order < 0,
    le: order <= 0,
  }[verb];
}

describe('a filter in the database', () => {
  it('finds what its meaning is, for any filter', async () => {
    await fc.assert(
      fc.asyncProperty(anyFilter, async (filter) => {
        const expected = resources.filter((resource) => matches(resource, filter)).map(({ id }) => id);
        expect(await found(filter), filterText(filter)).toEqual(expected.sort());
      }),
      { numRuns: 200 },
    );
  });

  it('finds what another implementation finds, where texts are in lower case and attributes are assigned', async () => {
    const full = resources.filter(({ name }) => name?.familyName !== undefined);
    const known = new Set(full.map(({ id }) => id));
    await fc.assert(
      fc.asyncProperty(filtersWith(lower, []), async (filter) => {
        const written = filterText(filter);
        const expected = full.filter(foreignFilter(parse(written))).map(({ id }) => id);
        const own = (await found(filter)).filter((id) => known.has(id));
        expect(own, written).toEqual(expected.sort());
      }),
      { numRuns: 200 },
    );
  });
});
