import { describe, expect, it } from 'vitest';
import { assertMatches, isUnchanged } from '../../../shared/http/serve/conditions.ts';

const codings = ['gzip', 'br', 'deflate', 'zstd'];
const formsOf = (tag: string): string[] => [
  tag,
  `W/${tag}`,
  ...codings.flatMap((coding) =>
    ['-', '--', ';'].flatMap((mark) => {
      const form = tag.replace(/"$/, `${mark}${coding}"`);
      return [form, `W/${form}`];
    }),
  ),
];

describe('a tag that a proxy has changed', () => {
  it.each([
    '"12.abcdefghijklmnop"',
    '"12.abcdefghijklmno-"',
    '"12.abcdefghijklmn--"',
    '"12.abcdefghijk-gzip"',
  ])('is that of %s', (tag) => {
    for (const form of formsOf(tag)) {
      expect(isUnchanged({ ifNoneMatch: `"1.x", ${form}` }, tag), form).toBe(true);
      expect(() => assertMatches({ ifMatch: form }, 12), form).not.toThrow();
    }
  });

  it('is not that of another one', () => {
    for (const form of formsOf('"11.abcdefghijklmnop"')) {
      expect(isUnchanged({ ifNoneMatch: form }, '"12.abcdefghijklmnop"'), form).toBe(false);
      expect(() => assertMatches({ ifMatch: form }, 12), form).toThrow();
    }
  });
});
