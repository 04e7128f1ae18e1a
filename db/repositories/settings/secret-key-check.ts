import { isNull } from 'drizzle-orm';
import type { Db, Statement } from '../../client.ts';
import { installation } from '../../schema/settings/installation.ts';

/** @returns the sealed check value; null if no process has stored one yet */
export async function readKeyCheck(db: Db): Promise<string | null> {
  const [row] = await db.select({ check: installation.secret_key_check }).from(installation);
  if (!row) throw new Error('The table installation has no row; restore the database from a backup');
  return row.check;
}

/** Stores the check value unless one is stored. @returns false if another process has stored one */
export async function claimKeyCheck(db: Db, sealed: string): Promise<boolean> {
  const written = await db
    .update(installation)
    .set({ secret_key_check: sealed })
    .where(isNull(installation.secret_key_check))
    .returning({ only: installation.only });
  return written.length > 0;
}

/** Replaces the check value, independent of the key that sealed it. */
export const replaceKeyCheck = (h: Db, sealed: string): Statement =>
  h.update(installation).set({ secret_key_check: sealed });
