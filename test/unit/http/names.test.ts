import { describe, expect, it } from 'vitest';
import { Name } from '../../../shared/http/fields.ts';

describe('a name', () => {
  it.each(['admin', ' Zürich ', 'новый', 'می\u200cخواهم', '👩\u200d💻', 'a b'])('may be %j', (name) => {
    expect(Name.safeParse(name).data).toBe(name.trim());
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
  ])('is refused when it %s', (_, name) => {
    expect(Name.safeParse(name).success).toBe(false);
  });
});
