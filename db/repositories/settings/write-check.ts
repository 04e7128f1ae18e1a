import { sql } from 'drizzle-orm';
import { atomically, type Db } from '../../client.ts';
import { installation } from '../../schema/settings/installation.ts';

/**
 * Proves that the database accepts writes: there is free space, and the row of the installation can be updated. The
 * update alone proves little, because a full disk still takes a row that fits into a page of its table. It is a
 * statement of its own, so that a process that stops between two statements holds no lock on the row.
 * @throws the error of the database
 */
export async function checkWrite(db: Db): Promise<void> {
  await checkSpace(db);
  const rows = await db
    .update(installation)
    .set({ written_at: sql`now()` })
    .returning({ only: installation.only });
  if (rows.length === 0) throw new Error('the row of the installation is missing');
}

/**
 * Proves that the disk of the database has free space, without a write to a table: a result that is larger than the
 * memory of its statement goes to a temporary file, here of 140 kB.
 * @throws the error of the database
 */
export async function checkSpace(db: Db): Promise<void> {
  await atomically(db, (h) => [
    h.select({ set: sql`set_config('work_mem', '64kB', true)` }).from(sql`(values (1)) as once`),
    h.select({ rows: sql`count(*)` }).from(sql`generate_series(1, 10000)`),
  ]);
}
