import { and, eq, gt, isNull, lte, type SQL, sql } from 'drizzle-orm';
import type { Db, Statement } from '../../client.ts';
import { idempotencyKeys } from '../../schema/jobs/idempotency-keys.ts';
import { must } from '../records/statements.ts';

/** An idempotency key is unique per user or peer. */
export type KeyOwner = { kind: 'user' | 'peer'; id: string; key: string };

const retentionMs = 86_400_000;

/** Raised by `claimNewKey`. */
export const keyIsStored = 'idempotency_stored';
export const keyIsLocked = 'idempotency_in_progress';

/**
 * Takes the advisory lock of the key for the transaction of `handle`, without waiting, and fails if the key has a row:
 * with `keyIsLocked` if another transaction holds the lock, with `keyIsStored` for a row. The row is
 * read by a later statement, because the snapshot of the locking statement is taken before it has the lock.
 */
export const claimNewKey = (handle: Db, owner: KeyOwner, now: Date): Statement[] => [
  must(handle, sql`pg_try_advisory_xact_lock(hashtextextended(${lockName(owner)}, 0))`, keyIsLocked),
  must(
    handle,
    sql`not exists(select 1 from ${idempotencyKeys} where ${and(ofOwner(owner), gt(idempotencyKeys.created_at, oldestValid(now)))})`,
    keyIsStored,
  ),
];

/** Returns the row of the key, unless it is older than 24 hours. */
export async function findKey(handle: Db, owner: KeyOwner, now: Date) {
  const [row] = await handle
    .select()
    .from(idempotencyKeys)
    .where(and(ofOwner(owner), gt(idempotencyKeys.created_at, oldestValid(now))));
  return row;
}

export type StoredResponse = Pick<
  typeof idempotencyKeys.$inferSelect,
  'fingerprint' | 'created_at' | 'status' | 'headers' | 'sealed_body' | 'rights'
>;

/** Stores a response under its key; an older one is replaced. */
export function storeResponse(handle: Db, owner: KeyOwner, answer: StoredResponse): Statement {
  const row = { ...answer, lease_until: null };
  return handle
    .insert(idempotencyKeys)
    .values({ ...row, ...columnsOf(owner) })
    .onConflictDoUpdate({ target: ownerColumns, set: row });
}

/** The lease of an operation whose effect and response are not written in one transaction. */
export type KeyLease = { fingerprint: string; now: Date; until: Date };

/** Takes a lease on a key that `claimNewKey` has claimed in the same transaction. */
export function leaseKey(handle: Db, owner: KeyOwner, { fingerprint, now, until }: KeyLease): Statement {
  const unknown = { status: null, headers: null, sealed_body: null, rights: [] };
  const row = { ...unknown, fingerprint, created_at: now, lease_until: until };
  return handle
    .insert(idempotencyKeys)
    .values({ ...row, ...columnsOf(owner) })
    .onConflictDoUpdate({ target: ownerColumns, set: row });
}

/** Deletes a leased key whose operation may run again. */
export const releaseKey = (handle: Db, owner: KeyOwner): Statement =>
  handle.delete(idempotencyKeys).where(ofOwner(owner));

/** Ends the lease of a key without a response: the outcome of the operation is unknown. */
export const endLease = (handle: Db, owner: KeyOwner): Statement =>
  handle.update(idempotencyKeys).set({ lease_until: null }).where(ofOwner(owner));

/** The condition that a key is older than 24 hours, in any state. */
export const isExpiredKey = (now: Date): SQL => lte(idempotencyKeys.created_at, oldestValid(now));

const ownerColumns = [idempotencyKeys.user_id, idempotencyKeys.peer_id, idempotencyKeys.key];

const columnsOf = ({ kind, id, key }: KeyOwner) => ({
  user_id: kind === 'user' ? id : null,
  peer_id: kind === 'peer' ? id : null,
  key,
});

function ofOwner({ kind, id, key }: KeyOwner): SQL | undefined {
  const { user_id, peer_id } = idempotencyKeys;
  const [own, other] = kind === 'user' ? [user_id, peer_id] : [peer_id, user_id];
  return and(eq(own, id), isNull(other), eq(idempotencyKeys.key, key));
}

const lockName = ({ id, key }: KeyOwner): string => `idempotency ${id} ${key}`;

const oldestValid = (now: Date): Date => new Date(now.getTime() - retentionMs);
