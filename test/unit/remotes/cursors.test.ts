import { expect, it } from 'vitest';
import { followCursors } from '../../../shared/remotes/dispatcher/cursors.ts';
import type { Node } from '../../../shared/remotes/dispatcher/port.ts';

const node: Node = {
  id: 'n',
  kind: 'dispatcher',
  name: 'north-1',
  url: 'https://node.test',
  verifyTls: true,
  timeoutMs: 1_000,
};
const page = (next: string | null | undefined, isEmpty = false) => ({ next, isEmpty });

it('the cursors of a list are followed to its end, including some empty pages', () => {
  const next = followCursors(node);
  for (const [cursor, isEmpty] of [
    ['a', false],
    ['b', true],
    ['c', true],
    ['d', true],
    ['e', false],
    ['f', true],
  ] as const)
    expect(next(page(cursor, isEmpty))).toBe(cursor);
  expect(next(page(null))).toBeUndefined();
  expect(followCursors(node)(page(undefined))).toBeUndefined();
});

it('a repeated cursor ends the read, however old', () => {
  const next = followCursors(node);
  for (const cursor of ['a', 'b', 'c']) next(page(cursor));
  expect(() => next(page('a'))).toThrow(
    expect.objectContaining({
      code: 'upstream_failed',
      members: { dispatcher: 'north-1', reason: 'repeated_cursor' },
    }),
  );
});

it('a fourth empty page in a row ends the read', () => {
  const next = followCursors(node);
  for (const cursor of ['a', 'b', 'c']) next(page(cursor, true));
  expect(() => next(page('d', true))).toThrow(
    expect.objectContaining({ members: { dispatcher: 'north-1', reason: 'empty_pages' } }),
  );
});
