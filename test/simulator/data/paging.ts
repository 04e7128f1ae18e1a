import { Buffer } from 'node:buffer';
import type { CursorLie } from '../faults.ts';
import { Refusal } from '../refusal.ts';

/** `since` in milliseconds, from an earlier `as_of`. */
export type PageQuery = { limit: number; cursor?: string | undefined; since?: number | undefined };

/** Identifiers of a page; with `since` they are the changes after it, otherwise the full list. */
export type Cut = { uuids: string[]; next: string | null; start: Start };

/** The position of a page: every page of one read has the `as_of` of the first page. */
export type Start = { after: string; as_of: number; since: number | null };

/**
 * Keyset paging: rows after the last row of the previous page, whatever was inserted or removed meanwhile.
 * @param sorted identifiers in order
 * @throws Refusal 400 for an invalid cursor
 */
export function cutPage(
  sorted: readonly string[],
  start: Start,
  limit: number,
  changedAt: (uuid: string) => number,
): Cut {
  const { after, since } = start;
  const wanted = since === null ? sorted : sorted.filter((uuid) => changedAt(uuid) > since);
  const from = after === '' ? 0 : wanted.findIndex((uuid) => uuid > after);
  if (from < 0) return { uuids: [], next: null, start };
  const uuids = wanted.slice(from, from + limit);
  const isLast = from + limit >= wanted.length;
  return { uuids, next: isLast ? null : sealCursor({ ...start, after: uuids.at(-1) ?? '' }), start };
}

/** Removals before the collection was `born` are unknown: such a `since` gets the full list. */
export function startOf({ cursor, since }: PageQuery, now: () => number, born: number): Start {
  if (cursor !== undefined) return openCursor(cursor);
  return { after: '', as_of: now(), since: since !== undefined && since >= born ? since : null };
}

type ListResult = { items: unknown[]; next: string | null };

/**
 * A page of a node with invalid cursors.
 * @param first the first page of the list
 */
export function lieAbout<P extends ListResult>(lie: CursorLie, first: P, cursor: string | undefined): P {
  const pages = Number(/^lie-(\d+)$/.exec(cursor ?? '')?.[1] ?? 0) + 1;
  const next = `lie-${lie === 'same' ? 1 : lie === 'cycle' ? 1 + (pages % 3) : pages}`;
  return { ...first, ...(lie === 'empty' && { items: [] }), next };
}

const sealCursor = ({ after, as_of, since }: Start): string =>
  Buffer.from(JSON.stringify([after, as_of, since])).toString('base64url');

function openCursor(cursor: string): Start {
  try {
    const [after, as_of, since] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (typeof after === 'string' && typeof as_of === 'number') return { after, as_of, since };
  } catch {
    // Text that is not JSON is rejected below, like JSON that is not a cursor.
  }
  throw malformedCursor();
}

export const malformedCursor = (): Refusal =>
  new Refusal(400, 'malformed_cursor', 'The cursor is not valid for this list');
