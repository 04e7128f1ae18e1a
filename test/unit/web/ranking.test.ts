import { describe, expect, it } from 'vitest';
import { closedUp, movedTo, type Ranked, tied } from '../../../shared/web/ui/ranking/order.ts';

const list = (text: string): Ranked[] =>
  text.split(' ').map((one) => ({ key: one.charAt(0), rank: Number(one.slice(1)) }));
const shown = (items: readonly Ranked[]): string => items.map(({ key, rank }) => `${key}${rank}`).join(' ');

describe('an order of ranked items', () => {
  it('gives a moved item a rank of its own, and ranks have no gaps', () => {
    expect(shown(movedTo(list('a10 b20 c30'), 'c', 0))).toBe('c1 a2 b3');
    expect(shown(movedTo(list('a1 b2 c3'), 'a', 1))).toBe('b1 a2 c3');
    expect(shown(movedTo(list('a1 b2 c3'), 'a', 9))).toBe('b1 c2 a3');
  });

  it('keeps items of equal rank together when one of them or another item is moved', () => {
    expect(shown(movedTo(list('a1 b2 c2 d3'), 'd', 0))).toBe('d1 a2 b3 c3');
    expect(shown(movedTo(list('a1 b2 c2 d3'), 'b', 0))).toBe('b1 a2 c3 d4');
    expect(shown(movedTo(list('a1 b1 c1'), 'a', 2))).toBe('b1 c1 a2');
    expect(shown(movedTo(list('a1 b2 c2'), 'c', 0))).toBe('c1 a2 b3');
  });

  it('makes an item equal to the one before it, and separates it', () => {
    expect(shown(tied(list('a1 b2 c3'), 'b', true))).toBe('a1 b1 c2');
    expect(shown(tied(list('a1 b1 c2'), 'b', false))).toBe('a1 b2 c3');
    expect(shown(tied(list('a1 b2'), 'a', true))).toBe('a1 b2');
  });

  it('closes gaps without a change of the order', () =>
    expect(shown(closedUp(list('b7 a0 c7')))).toBe('a1 b2 c2'));
});
