import { describe, expect, it } from 'vitest';
import { confusableOf } from '../../../shared/kernel/names/confusable.ts';

const reasons = (name: string) => {
  const { scripts = [], ...flags } = confusableOf(name) ?? {};
  return [...scripts, ...Object.entries(flags).flatMap(([flag, is]) => (is ? [flag] : []))];
};

describe('a name can be taken for another one', () => {
  it.each([
    ['\u0430dmin', 'a Cyrillic letter in a Latin word', ['Latn', 'Cyrl']],
    ['p\u0430yp\u0430l', 'two of them', ['Latn', 'Cyrl']],
    ['Анna', 'Latin letters in a Cyrillic word', ['Cyrl', 'Latn']],
    ['\u03bfperator', 'a Greek letter', ['Latn', 'Grek']],
    ['jones.\u0430dmin', 'a later word', ['Latn', 'Cyrl']],
    ['山\u0434田', 'a Cyrillic letter between Han', ['Hani', 'Cyrl']],
    ['ad\u200bmin', 'a zero-width space', ['hasInvisible']],
    ['ad\u00admin', 'a soft hyphen', ['hasInvisible']],
    ['ad\u0007min', 'a control character', ['hasInvisible']],
    ['\u202enimda', 'a bidirectional override', ['hasDirections']],
    ['admin\u2066', 'a bidirectional isolate', ['hasDirections']],
    ['system:apply', 'a name of work', ['isReserved']],
    ['\uff53ystem', 'its compatibility form', ['isReserved']],
    ['s\u200dystem', 'an invisible character in it', ['hasInvisible', 'isReserved']],
    ['Aggregator', 'the name of the portal at dispatchers', ['isReserved']],
  ])('%j: %s', (name, _, expected) => {
    expect(reasons(name)).toEqual(expected);
  });

  it.each([
    ...[
      'admin',
      'Іван Петренко',
      'naïve',
      'nai\u0308ve',
      '山田taro',
      '田中さん',
      'テスト',
      'カメラmanー',
      '김철수kim',
      'Ελένη',
    ],
    ...[
      'user.Иванов',
      'corp\\Иванов',
      'VDI Москва',
      'user-01',
      'Иван2',
      'محمد',
      'जॉन',
      'systems',
      'o’brien',
      '',
      '42',
    ],
  ])('not %j', (name) => {
    expect(confusableOf(name)).toBeUndefined();
  });
});
