import { atomically, type Db, type Statement } from '../../../db/client.ts';
import { isUniqueViolation } from '../../../db/errors.ts';

/**
 * Runs the batch that settles the user of a login. It runs once more if a name that it found free was taken meanwhile: its
 * statements then choose another one.
 */
export async function settleAtomically(db: Db, build: (h: Db) => readonly Statement[]): Promise<void> {
  try {
    await atomically(db, build);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    await atomically(db, build);
  }
}
