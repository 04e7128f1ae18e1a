import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../shared/kernel/errors.ts';
import {
  canonicalJson,
  isObject,
  mergePatch,
  parseObject as parseBytes,
} from '../../../shared/kernel/json/json.ts';

const parseObject = (text: string) => parseBytes(new TextEncoder().encode(text));
const anyObject = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 }));
const refusal = async (text: string): Promise<string> => {
  try {
    await parseObject(text);
    return 'accepted';
  } catch (error) {
    return error instanceof AppError ? error.code : String(error);
  }
};

describe('the parser of JSON objects', () => {
  it('reads any output of JSON.stringify, with any white space', async () => {
    await fc.assert(
      fc.asyncProperty(anyObject, fc.constantFrom(undefined, 1, '\t'), async (value, space) => {
        const text = JSON.stringify(value, null, space);
        expect(await parseObject(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('rejects a duplicate property name at any level and in any spelling', async () => {
    const spelled = (name: string, escaped: boolean): string =>
      escaped ? `"${[...name].map((c) => escapeUnit(c)).join('')}"` : JSON.stringify(name);
    await fc.assert(
      fc.asyncProperty(
        fc.string(),
        fc.boolean(),
        fc.jsonValue(),
        fc.nat(5),
        async (name, escaped, value, depth) => {
          const inner = `{"other":1,${spelled(name, false)}:1,"x":[{}],${spelled(name, escaped)} :${JSON.stringify(value)}}`;
          const text = `${'{"a":['.repeat(depth)}${inner}${']}'.repeat(depth)}`;
          fc.pre(name !== 'other' && name !== 'x');
          expect(await refusal(text)).toBe('malformed_json');
        },
      ),
    );
  });

  it('accepts a name again in another object, and text that only looks like one', async () => {
    expect(await parseObject('{"a":{"a":1},"b":[{"a":2},{"a":3}],"c":"\\"a\\": {[\\\\"}')).toEqual({
      a: { a: 1 },
      b: [{ a: 2 }, { a: 3 }],
      c: '"a": {[\\',
    });
  });

  it('rejects everything but a single object', async () => {
    for (const text of ['', 'null', '[]', '1', '"a"', '{', '{}{}', "{'a':1}", '{"a":1,}', '{"a":NaN}'])
      expect([text, await refusal(text)]).toEqual([text, 'malformed_json']);
  });

  it('reads two mebibytes of text', async () => {
    const long = 'x\\"'.repeat(700_000);
    expect(await parseObject(JSON.stringify({ long }))).toEqual({ long });
  });

  it('treats __proto__ as an ordinary property', async () => {
    const parsed = await parseObject('{"__proto__":{"admin":true}}');
    expect(Object.keys(parsed)).toEqual(['__proto__']);
    expect(Reflect.get(parsed, 'admin')).toBeUndefined();
  });
});

describe('canonical JSON', () => {
  it('is the same for equal values, whatever the order of their properties', () => {
    fc.assert(
      fc.property(anyObject, (value) => {
        const reversed = Object.fromEntries(Object.entries(value).reverse());
        expect(canonicalJson(reversed)).toBe(canonicalJson(value));
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

describe('a merge patch', () => {
  it('follows RFC 7396', () => {
    const example = {
      title: 'Goodbye!',
      author: { givenName: 'John', familyName: 'Doe' },
      tags: ['a', 'b'],
      content: 'x',
    };
    const patch = { title: 'Hello!', phone: '+1', author: { familyName: null }, tags: ['a'] };
    expect(mergePatch(example, patch)).toEqual({
      title: 'Hello!',
      author: { givenName: 'John' },
      tags: ['a'],
      content: 'x',
      phone: '+1',
    });
    expect(mergePatch({}, { a: { b: null, c: 1 } })).toEqual({ a: { c: 1 } });
    expect(mergePatch({ a: 'text' }, { a: { b: 1 } })).toEqual({ a: { b: 1 } });
  });

  it('leaves no null of the patch, is idempotent, and does not change its arguments', () => {
    fc.assert(
      fc.property(anyObject, anyObject, (target, patch) => {
        const [before, wanted] = [canonicalJson(target), canonicalJson(patch)];
        const once = mergePatch(target, patch);
        expect(canonicalJson(mergePatch(once, patch))).toBe(canonicalJson(once));
        expect(holdsNull(patch, once)).toBe(false);
        expect([canonicalJson(target), canonicalJson(patch)]).toEqual([before, wanted]);
      }),
    );
  });

  it('cannot set a prototype', () => {
    const merged = mergePatch({ a: {} }, JSON.parse('{"__proto__":{"x":1},"a":{"__proto__":{"y":2}}}'));
    expect([Reflect.get(merged, 'x'), Reflect.get(Object(merged.a), 'y')]).toEqual([undefined, undefined]);
  });
});

const escapeUnit = (character: string): string =>
  [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('');

/** True when a member that the patch removes still exists. */
const holdsNull = (patch: Record<string, unknown>, merged: Record<string, unknown>): boolean =>
  Object.entries(patch).some(([name, value]) => {
    if (value === null) return Object.hasOwn(merged, name);
    const inner = merged[name];
    return isObject(value) && isObject(inner) && holdsNull(value, inner);
  });
