import { isNull } from 'drizzle-orm';
import type { Db, Statement } from '../../client.ts';
import { installation } from '../../schema/settings/installation.ts';

/** @returns the sealed check value; null in a database that no process has claimed with its key yet */
export async function readKeyCheck(db: Db): Promise<string | null> {
  const [row] = await db.select({ check: installation.secret_key_check }).from(installation);
  if (!row) throw new Error('The table installation has no row; restore the database from a backup');
  return row.check;
}

/** Writes the check value if there is none. @returns false when another process has written one before */
export async function claimKeyCheck(db: Db, sealed: string): Promise<boolean> {
  const written = await db
    .update(installation)
    .set({ secret_key_check: sealed })
    .where(isNull(installation.secret_key_check))
    .returning({ only: installation.only });
  return written.length > 0;
}

/** Replaces the check value, whatever key sealed it. */
export const replaceKeyCheck = (h: Db, sealed: string): Statement =>
  h.update(installation).set({ secret_key_check: sealed });
