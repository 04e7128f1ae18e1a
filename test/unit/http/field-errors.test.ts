import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { BulkDestroyBody } from '../../../shared/http/records/shapes.ts';
import { unstorable } from '../../../shared/http/serve/read-input.ts';
import { invalid } from '../../../shared/kernel/errors.ts';
import { fieldErrors } from '../../../shared/shapes/field-errors.ts';
import { Instant } from '../../../shared/shapes/fields.ts';

const pointersOf = (shape: z.ZodType, value: unknown): string[] =>
  fieldErrors(shape.safeParse(value, { reportInput: true }).error, '/').map(({ pointer }) => pointer);

describe('the JSON pointers of errors', () => {
  it('escape the special characters in a name', () => {
    expect(pointersOf(z.strictObject({}), { 'a/b~c': 1 })).toEqual(['/a~1b~0c']);
    expect(unstorable({ 'a/b~c': ['x', '\0'] }, '/')).toMatchObject([{ pointer: '/a~1b~0c/1' }]);
  });

  it('refer to the whole body when a name itself is invalid', () => {
    expect(unstorable({ 'a\0': 1 }, '/')).toMatchObject([{ pointer: '' }]);
    expect(unstorable({ a: { 'b\ud800': 1 } }, '/')).toMatchObject([{ pointer: '/a' }]);
    expect(unstorable({ 'a\0': '1', b: '\udc00' }, '?')).toMatchObject([{ pointer: '?' }, { pointer: '?b' }]);
  });

  it('refer to the intended form when there are several', () => {
    expect(pointersOf(BulkDestroyBody, { ids: ['x'] })).toEqual(['/ids/0']);
    expect(pointersOf(BulkDestroyBody, { all: false })).toEqual(['/all']);
    expect(pointersOf(BulkDestroyBody, {})).toEqual(['/ids', '/all']);
    const scope = z.object({ sites: z.union([z.literal('*'), z.array(z.uuid())]) });
    expect(pointersOf(scope, { sites: ['x'] })).toEqual(['/sites/0']);
    expect(pointersOf(scope, { sites: 1 })).toEqual(['/sites']);
  });

  it('are 100 at most, however many errors there are', () => {
    expect(unstorable({ a: Array(100_000).fill('\0') }, '/')).toHaveLength(100);
    expect(pointersOf(z.array(z.string()), Array(101).fill(1))).toHaveLength(100);
    const unknown = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`m${at}`, 1]));
    expect(pointersOf(z.strictObject({}), unknown)).toHaveLength(100);
    expect(invalid(...Array(101).fill({ pointer: '', code: '', detail: '' })).members.errors).toHaveLength(
      100,
    );
  });

  it('refer to the parent of a property with a very long name', () => {
    const long = 'x'.repeat(10_000);
    expect(unstorable({ a: { [long]: ['\0', '\0'] } }, '/')).toMatchObject([
      { pointer: '/a' },
      { pointer: '/a' },
    ]);
    expect(unstorable({ [long]: '\0' }, '?')).toMatchObject([{ pointer: '?' }]);
    expect(pointersOf(z.strictObject({}), { [long]: 1 })).toEqual(['']);
  });
});

it('a plus sign that was not encoded is named', () => {
  const detailOf = (text: string) => fieldErrors(Instant.safeParse(text).error, '?')[0]?.detail;
  expect(detailOf('2026-11-21T08:30:00 03:00')).toBe(
    'The plus sign of the offset must be sent as %2B in a query',
  );
  expect(detailOf('2026-11-21T08:30:00+03:00')).toBeUndefined();
  expect(detailOf('yesterday')).not.toContain('plus');
});
