import { describe, expect, it } from 'vitest';
import { Name, PlainName } from '../../../shared/shapes/fields.ts';

describe('an object name', () => {
  it.each(['admin', ' Zürich ', 'новый', '漢字', '🙂', 'a b'])('may be %j', (name) => {
    expect(PlainName.safeParse(name).data).toBe(name.trim());
  });

  it.each([
    ['turns the direction of writing', '\u202eadmin'],
    ['ends in a character without width', 'admin\u200b'],
    ['hides a hyphen', 'ad\u00admin'],
    ['has a mark of direction', 'ad\u200fmin'],
    ['holds a control character', 'ad\u0007min'],
    ['shows nothing', '\u200d'],
    ['is blank', '   '],
    ['is too long', 'x'.repeat(129)],
  ])('is rejected when it %s', (_, name) => {
    expect(PlainName.safeParse(name).success).toBe(false);
  });

  it.each(
    ['\u034f', '\ufe0f', '\u180e', '\u17b4', '\u115f', '\u{e0041}', '\u200d', '\u200b', '\u2065'].map(
      (char) => [char.codePointAt(0)?.toString(16), `ad${char}min`],
    ),
  )('has no default-ignorable code point (U+%s), unless it comes from a directory', (_, name) => {
    expect(PlainName.safeParse(name).success).toBe(false);
    expect(Name.safeParse(name).data).toBe(name);
  });
});
