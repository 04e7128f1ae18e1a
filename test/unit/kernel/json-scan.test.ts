import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../shared/kernel/errors.ts';
import { parseObject } from '../../../shared/kernel/json/json.ts';
import { jsonLimits, scanJson } from '../../../shared/kernel/json/scan.ts';
import { measure } from '../../support/http/json-measure.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

type Refusal = { code: string; errors: unknown };

async function refusal(text: string): Promise<Refusal | 'accepted'> {
  try {
    await parseObject(bytesOf(text));
    return 'accepted';
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const errors = error.members.errors?.map((entry) => ({ ...entry, detail: String(entry.detail) }));
    return { code: error.code, errors };
  }
}

const fault = (code: string, pointer: string) => ({
  code: 'invalid_request',
  errors: [{ pointer, code, detail: expect.stringMatching(/(at most|deeper than) \d+ /i) }],
});
const members = (count: number): string =>
  `{${Array.from({ length: count }, (_, at) => `"m${at}":${at}`).join()}}`;
const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

describe('the limits of JSON', () => {
  it('count correctly for any text of JSON.stringify', () => {
    const json = fc.jsonValue({ maxDepth: 6 });
    fc.assert(
      fc.property(json, fc.constantFrom(undefined, 1, '\t', ' \n'), (value, space) => {
        const { members: counted, exceeded } = scanJson(bytesOf(JSON.stringify(value, null, space)));
        expect([counted, exceeded]).toEqual([measure(value).members, undefined]);
      }),
    );
  });

  it('reject exactly the texts that exceed them', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 12 }),
        fc.integer({ min: 0, max: 2_200 }),
        fc.integer({ min: 0, max: 34 }),
        async (objects, elements, depth) => {
          const value = {
            many: Array.from({ length: objects }, () => Array(elements).fill({})),
            deep: JSON.parse(nested(depth)),
          };
          const measured = measure(value);
          const isWithin = measured.depth <= jsonLimits.depth && measured.values <= jsonLimits.values;
          expect((await refusal(JSON.stringify(value))) === 'accepted').toBe(isWithin);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('allow 1,000 properties of one object, and name the object with more', async () => {
    expect(await refusal(members(1_000))).toBe('accepted');
    expect(await refusal(members(1_001))).toEqual(fault('too_many_members', ''));
    expect(await refusal(`{"a/b":[0,{"c":${members(1_001)}}]}`)).toEqual(
      fault('too_many_members', '/a~1b/1/c'),
    );
    expect(await refusal(`{"\\u0061":${members(1_000)},"b":${members(1_000)}}`)).toBe('accepted');
  });

  it('allow 32 levels, and name the object below them', async () => {
    expect(await refusal(nested(32))).toBe('accepted');
    const at = '/a'.repeat(32);
    for (const depth of [33, 1_000, 40_000])
      expect(await refusal(nested(depth))).toEqual(fault('too_many_levels', at));
    const arrays = `{"a":${'['.repeat(50_000)}`;
    expect(await refusal(arrays)).toEqual(fault('too_many_levels', `/a${'/0'.repeat(31)}`));
  });

  it('allow 1,500 different names, and repetitions of them', async () => {
    const objects = (count: number, each: number, name: (object: number, at: number) => string): string =>
      JSON.stringify({
        a: Array.from({ length: count }, (_, object) =>
          Object.fromEntries(Array.from({ length: each }, (__, at) => [name(object, at), 0])),
        ),
      });
    const own = (object: number, at: number) => `m${object}_${at}`;
    expect(await refusal(objects(1_499, 1, own))).toBe('accepted');
    expect(await refusal(objects(1_500, 1, own))).toEqual(fault('too_many_names', ''));
    expect(await refusal(objects(19, 990, own))).toEqual(fault('too_many_names', ''));
    expect(await refusal(objects(19, 990, (_, at) => `m${at}`))).toBe('accepted');
    // Each object begins its names at another one: as many orders as objects.
    expect(await refusal(objects(190, 98, (object, at) => `m${(at + object) % 98}`))).toEqual(
      fault('too_many_names', ''),
    );
  });

  it('allow 20,000 values in all', async () => {
    const list = (count: number): string => `{"a":[${Array(count).fill('0').join()}],"b":[ ],"c":{}}`;
    expect(await refusal(list(19_997))).toBe('accepted');
    expect(await refusal(list(19_998))).toEqual(fault('too_many_values', ''));
    expect(await refusal(`{"a":[${Array(20_000).fill('{}').join()}]}`)).toEqual(fault('too_many_values', ''));
  });

  it('cause no other error for any bytes', async () => {
    const marks = fc.string({ unit: fc.constantFrom(...'{}[],:"a ') });
    await fc.assert(
      fc.asyncProperty(marks, async (text) => {
        const result = await refusal(text);
        expect(result === 'accepted' || ['malformed_json', 'invalid_request'].includes(result.code)).toBe(
          true,
        );
      }),
      { numRuns: 2_000 },
    );
  });
});
