import { atomically, type Db, type Statement } from '../../../db/client.ts';
import { isUniqueViolation } from '../../../db/errors.ts';

/**
 * Runs the batch that creates or updates the user of a login. A unique violation means that a free name was taken in
 * the meantime. The batch then runs once more, and its statements choose another name.
 */
export async function settleAtomically(db: Db, build: (h: Db) => readonly Statement[]): Promise<void> {
  try {
    await atomically(db, build);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    await atomically(db, build);
  }
}
