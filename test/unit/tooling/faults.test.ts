import { describe, expect, it } from 'vitest';
import { type Fault, withFaults } from '../../tooling/faults/plant.ts';
import { faultSites } from '../../tooling/faults/sites.ts';

const brokenIn = (text: string) =>
  faultSites('shared/a.ts', text).map(({ kind, start, end, broken }) => [
    kind,
    text.slice(start, end),
    broken,
  ]);

describe('the places of faults in a source', () => {
  it.each([
    ['const f = (a: number) => a > b;', [['comparison', 'a > b', 'a >= b']]],
    [
      'const f = () => a && b;',
      [
        ['condition', 'a && b', 'a'],
        ['condition', 'a && b', 'b'],
      ],
    ],
    ['if (a) f();', [['condition', 'a', 'false']]],
    ['const f = async () => { await g(); };', [['await', 'await g()', 'g()']]],
    ['const limit: 5 | 6 = 5;', [['constant', '5', '6']]],
    [
      "const same = a === 'b';",
      [
        ['comparison', "a === 'b'", "a !== 'b'"],
        ['constant', "'b'", '"b~"'],
      ],
    ],
    ['f({ a: b });', [['member', 'a: b', undefined]]],
    [
      'where(and(a, b));',
      [
        ['condition', 'a', undefined],
        ['condition', 'b', undefined],
      ],
    ],
    ["import a from 'b'; type A = { b: 'c' } ;", []],
  ])('%s', (text, expected) => {
    expect(brokenIn(text)).toEqual(expected);
  });
});

it('faults are compiled in and inactive until the switch names them', () => {
  const text = 'export const f = (a: number) => a > 3;\nexport const g = (b: object) => and(b, { c: 1 });\n';
  const fault = (
    id: number,
    lines: string,
    original: string,
    form: Fault['form'],
    broken?: string,
  ): Fault => ({
    ...{ id, path: 'shared/x/a.ts', kind: 'condition', form, lines },
    from: lines.indexOf(original),
    to: lines.indexOf(original) + original.length,
    ...(broken !== undefined && { broken }),
  });
  const [first = '', second = ''] = text.split('\n');
  const planted = withFaults('shared/x/a.ts', text, [
    fault(1, first, 'a > 3', 'expression', 'a >= 3'),
    fault(2, second, 'c: 1', 'member'),
  ]);
  expect(planted).toBe(`import { planted } from '../planted-faults.ts';
export const f = (a: number) => (planted(1) ? (a >= 3) : (a > 3));
export const g = (b: object) => and(b, { ...(planted(2) ? {} : { c: 1 }) });
`);
  expect(() => withFaults('shared/x/a.ts', 'other', [fault(1, first, 'a > 3', 'expression')])).toThrow(
    'fault 1 has no place',
  );
});
