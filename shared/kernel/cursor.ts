import type { SealedField, Sealer } from './crypto/sealing.ts';
import { AppError } from './errors.ts';
import { canonicalJson } from './json/json.ts';

/** Sort keys of the last row of a page; `id` is always the last sort key. */
export type Position = { key: string | number; id: string };

/** What a cursor is bound to. With another resource, filter, sort order or scope the cursor is malformed. */
export type ListIdentity = { resource: string; filters: unknown; sort: string; scope: unknown };

export async function sealCursor(sealer: Sealer, list: ListIdentity, position: Position): Promise<string> {
  return sealer.seal(JSON.stringify([position.key, position.id]), placeOf(list));
}

/** @throws AppError `malformed_cursor` */
export async function openCursor(sealer: Sealer, list: ListIdentity, cursor: string): Promise<Position> {
  try {
    const [key, id] = JSON.parse(await sealer.open(cursor, placeOf(list)));
    return { key, id };
  } catch (cause) {
    throw new AppError('malformed_cursor', undefined, {}, { cause });
  }
}

const placeOf = ({ resource, ...list }: ListIdentity): SealedField => ({
  table: resource,
  row: canonicalJson(list),
  column: 'cursor',
});
