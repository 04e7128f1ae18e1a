import { sql } from 'drizzle-orm';
import { atomically, type Db } from '../../client.ts';
import { installation } from '../../schema/settings/installation.ts';

/**
 * Checks that the database accepts writes: there is free disk space, and the row of the installation can be updated.
 * The update alone is not sufficient, because a full disk still accepts a row that fits into a page of its table. It
 * is a separate statement, so that a process that stops between two statements holds no lock.
 * @throws the database error
 */
export async function checkWrite(db: Db): Promise<void> {
  await checkSpace(db);
  const rows = await db
    .update(installation)
    .set({ written_at: sql`now()` })
    .returning({ only: installation.only });
  if (rows.length === 0) throw new Error('the table installation has no row');
}

/**
 * Checks that the disk of the database has free space, without a write to a table: a result larger than `work_mem` is
 * written to a temporary file, here of 140 kB.
 * @throws the database error
 */
export async function checkSpace(db: Db): Promise<void> {
  await atomically(db, (h) => [
    h.select({ set: sql`set_config('work_mem', '64kB', true)` }).from(sql`(values (1)) as once`),
    h.select({ rows: sql`count(*)` }).from(sql`generate_series(1, 10000)`),
  ]);
}
