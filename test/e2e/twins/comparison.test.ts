import { describe, expect, it } from 'vitest';
import type { Answer, Json } from '../support/api.ts';
import { createComparer } from './comparison.ts';

const masks = [
  { at: /^\/body\/rows\/\d+\/took_ms$/, why: 'a time' },
  { at: /^\/body\/never$/, why: 'nothing has it' },
];
const answer = (change: (given: Json) => void = () => undefined): Answer => {
  const given = {
    status: 200,
    headers: { 'content-type': 'application/json', etag: '"1.a"', date: 'now' },
    body: { name: 'one', none: null, empty: [], rows: [{ id: 1, took_ms: 3 }, { id: 2 }] },
  };
  change(given);
  return given;
};
const compare = (change: (given: Json) => void) =>
  createComparer(masks)
    .differences(answer(), answer(change))
    .map(({ at }) => at);

describe('the comparison of two answers', () => {
  it('accepts equal answers, whatever the transport headers', () => {
    expect(
      compare((given) => {
        given.headers.date = 'later';
      }),
    ).toEqual([]);
  });

  it.each<[string, string, (given: Json) => void]>([
    ['the status', '/status', (given) => void Object.assign(given, { status: 201 })],
    ['a header', '/headers/etag', (given) => void Object.assign(given.headers, { etag: '"1.b"' })],
    ['a header that is absent', '/headers/etag', (given) => void delete given.headers.etag],
    ['a header more', '/headers/link', (given) => void Object.assign(given.headers, { link: '<x>' })],
    ['a value', '/body/name', (given) => void Object.assign(given.body, { name: 'two' })],
    ['a type', '/body/rows/0/id', (given) => void Object.assign(given.body.rows[0], { id: '1' })],
    ['null for absent', '/body/none', (given) => void delete given.body.none],
    ['an empty array for an object', '/body/empty', (given) => void Object.assign(given.body, { empty: {} })],
    ['a row more', '/body/rows/2/id', (given) => void given.body.rows.push({ id: 3 })],
    [
      'a masked member that is absent',
      '/body/rows/0/took_ms',
      (given) => void delete given.body.rows[0].took_ms,
    ],
    [
      'a masked member of another type',
      '/body/rows/0/took_ms',
      (given) => void Object.assign(given.body.rows[0], { took_ms: null }),
    ],
  ])('notices %s', (_, at, change) => expect(compare(change)).toEqual([at]));

  it('reports rows in another order', () => {
    expect(compare((given) => void given.body.rows.reverse())).toContain('/body/rows/0/id');
  });

  it('ignores a masked value, and reports masks that were not needed', () => {
    const comparer = createComparer(masks);
    const other = answer((given) => void Object.assign(given.body.rows[0], { took_ms: 99 }));
    expect(comparer.differences(answer(), other)).toEqual([]);
    expect(comparer.stale()).toEqual(masks.slice(1));
  });
});
