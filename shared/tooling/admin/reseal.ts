import type { Db } from '../../../db/client.ts';
import { type SealedColumn, sealedColumns } from '../../../db/repositories/records/sealed/columns.ts';
import {
  countSealedByOthers,
  placeOf,
  placesIn,
  replaceSealed,
  type SealedValue,
  sealedByOthers,
} from '../../../db/repositories/records/sealed/values.ts';
import type { Sealer } from '../../kernel/crypto/sealing.ts';

/**
 * Counts for one place: resealed values, values that no key opens, and values sealed with another key at the end.
 */
export type ResealCount = { place: SealedColumn; resealed: number; unreadable: number; left: number };

/**
 * Seals all stored values with the current key. Values with that key are skipped, so that an aborted run can be
 * continued; each page is one transaction.
 */
export async function resealAll(db: Db, sealer: Sealer): Promise<ResealCount[]> {
  const results: ResealCount[] = [];
  for (const column of sealedColumns)
    for (const place of await placesIn(db, column)) results.push(await resealColumn(db, sealer, place));
  return results;
}

async function resealColumn(db: Db, sealer: Sealer, column: SealedColumn): Promise<ResealCount> {
  const result = { place: column, resealed: 0, unreadable: 0 };
  let after = '';
  for (;;) {
    const page = await sealedByOthers(db, column, sealer.currentKeyId, after);
    const last = page.at(-1);
    if (!last) break;
    const anew = (await Promise.all(page.map((value) => resealValue(sealer, column, value)))).filter(
      (value) => value !== undefined,
    );
    await replaceSealed(db, column, anew);
    result.resealed += anew.length;
    result.unreadable += page.length - anew.length;
    after = last.row;
  }
  return { ...result, left: await countSealedByOthers(db, column, sealer.currentKeyId) };
}

/** @returns undefined if no key opens the value */
async function resealValue(
  sealer: Sealer,
  column: SealedColumn,
  value: SealedValue,
): Promise<(SealedValue & { resealed: string }) | undefined> {
  const place = placeOf(column, value.row);
  const text = await sealer.open(value.sealed, place).catch(() => undefined);
  return text === undefined ? undefined : { ...value, resealed: await sealer.seal(text, place) };
}
