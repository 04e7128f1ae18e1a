import { badAnswer } from './failures.ts';
import type { Node } from './port.ts';

/**
 * Maximum number of consecutive empty pages. Some empty pages are valid, because a node can filter rows after paging.
 */
const maxEmptyPages = 3;

/** Returns the cursor of the next page. Undefined after the last page. */
export type NextCursor = (page: { next?: string | null | undefined; isEmpty: boolean }) => string | undefined;

/**
 * Follows the cursors of one read of a list. A repeated cursor is an error, because it would cause an endless loop.
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
