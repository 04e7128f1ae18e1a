import { and, eq, gt, lte, sql } from 'drizzle-orm';
import type { Db } from '../client.ts';
import { idempotencyKeys } from '../schema/idempotency-keys.ts';

/** A key belongs to the user who sent it. */
export type KeyOwner = { userId: string; key: string };

const keptForMs = 86_400_000;

/**
 * Takes the key for the transaction of `handle`, without waiting. What was kept under it is read by a statement of
 * its own afterwards: one that also locks would look at the rows as they were before it had the lock.
 * @returns false while another transaction has it
 */
export async function lockKey(handle: Db, { userId, key }: KeyOwner): Promise<boolean> {
  const name = `idempotency ${userId} ${key}`;
  const [row] = await handle
    .select({ taken: sql<boolean>`pg_try_advisory_xact_lock(hashtextextended(${name}, 0))` })
    .from(sql`(values (1)) as once`);
  return row?.taken === true;
}

/** What is kept under the key; after 24 hours it counts as absent. */
export async function findKey(handle: Db, { userId, key }: KeyOwner, now: Date) {
  const [row] = await handle
    .select()
    .from(idempotencyKeys)
    .where(
      and(
        eq(idempotencyKeys.user_id, userId),
        eq(idempotencyKeys.key, key),
        gt(idempotencyKeys.created_at, oldestKept(now)),
      ),
    );
  return row;
}

/** Keeps an answer under its key, in the place of an older one. */
export async function keepAnswer(
  handle: Db,
  { userId, key }: KeyOwner,
  answer: Pick<
    typeof idempotencyKeys.$inferSelect,
    'fingerprint' | 'created_at' | 'status' | 'headers' | 'sealed_body'
  >,
): Promise<void> {
  const row = { ...answer, lease_until: null };
  await handle
    .insert(idempotencyKeys)
    .values({ ...row, user_id: userId, key })
    .onConflictDoUpdate({ target: [idempotencyKeys.user_id, idempotencyKeys.key], set: row });
}

/** Deletes what has been kept for 24 hours, however it ended. */
export async function deleteOldKeys(db: Db, now: Date): Promise<void> {
  await db.delete(idempotencyKeys).where(lte(idempotencyKeys.created_at, oldestKept(now)));
}

const oldestKept = (now: Date): Date => new Date(now.getTime() - keptForMs);
