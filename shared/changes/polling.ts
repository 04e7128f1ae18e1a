import type { Db } from '../../db/client.ts';
import { type Change, mostChanges, readChanges } from '../../db/repositories/changes/changes.ts';
import type { SignedIn } from '../context/principal.ts';
import { behind, cursorOf, isContinuable, positionIn, stableEndOf } from './cursor.ts';
import { visibilityFor } from './visibility.ts';

/** `reset`: changes may be missing, so the client reads again what it shows, after it has noted `next`. */
export type PolledChanges = { items: Change[]; next: string; reset: boolean };

/**
 * The changes after a cursor that the principal may see, at most 1000. Without changes `next` is the same cursor, so that
 * the response stays the same.
 */
export async function pollChanges(
  db: Db,
  principal: SignedIn,
  after: string | undefined,
): Promise<PolledChanges> {
  const start = after === undefined ? undefined : positionIn(after);
  const page = await readChanges(db, start);
  if (after === undefined || !start || !isContinuable(start, page))
    return { items: [], next: cursorOf(page.epoch, stableEndOf(page)), reset: true };
  const items = page.items.filter(visibilityFor(principal));
  const last = page.items.at(-1);
  const isFull = page.items.length === mostChanges;
  // Changes that the caller may not see do not move the cursor at once, so that they are not noticed. Old ones do, because the
  // cursor of a client that polls all the time would otherwise become older than the changes that are kept.
  const hasMoved = isFull || items.length > 0 || page.items[0]?.isOld === true;
  if (!last || !hasMoved) return { items, next: after, reset: false };
  return { items, next: cursorOf(page.epoch, isFull ? last : behind(last)), reset: false };
}
