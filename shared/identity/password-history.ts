import type { Db, Statement } from '../../db/client.ts';
import { type FormerPassword, keepFormerPassword } from '../../db/repositories/identity/own-account.ts';
import type { Sealer } from '../kernel/crypto/sealing.ts';
import { newId } from '../kernel/ids.ts';

const placeOf = (row: string) => ({ table: 'password_history', row, column: 'sealed_hash' });

/**
 * Encrypts a hash that is to be replaced.
 * @returns the statements that add it to the history of the user
 */
export async function retirePassword(
  sealer: Sealer,
  { userId, hash, at }: { userId: string; hash: string; at: Date },
): Promise<(h: Db) => Statement[]> {
  const id = newId();
  const sealed_hash = await sealer.seal(hash, placeOf(id));
  return (h) => keepFormerPassword(h, { id, user_id: userId, sealed_hash, at });
}

/** @throws Error if no configured key can decrypt it */
export const openFormer = (sealer: Sealer, { id, sealed_hash }: FormerPassword): Promise<string> =>
  sealer.open(sealed_hash, placeOf(id));
