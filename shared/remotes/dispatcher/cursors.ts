import { badAnswer } from './failures.ts';
import type { Node } from './port.ts';

/** A node may filter rows after it has cut a page; more empty pages in a row than these are no list any more. */
const maxEmptyPages = 3;

/** Where the page after this one begins; undefined after the last page. */
export type NextCursor = (page: { next?: string | null | undefined; isEmpty: boolean }) => string | undefined;

/**
 * Follows the cursors of one read of a list. A cursor that was there before would be followed for ever.
 * @throws AppError `upstream_failed` with reason `repeated_cursor` or `empty_pages`
 */
export function followCursors(node: Node): NextCursor {
  const followed = new Set<string>();
  let emptyPages = 0;
  return ({ next, isEmpty }) => {
    if (next === null || next === undefined) return undefined;
    if (followed.has(next)) throw badAnswer(node, 'repeated_cursor');
    emptyPages = isEmpty ? emptyPages + 1 : 0;
    if (emptyPages > maxEmptyPages) throw badAnswer(node, 'empty_pages');
    followed.add(next);
    return next;
  };
}
