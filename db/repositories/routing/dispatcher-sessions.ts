import { and, eq, sql } from 'drizzle-orm';
import { newId } from '../../../shared/kernel/ids.ts';
import type { Db, Statement } from '../../client.ts';
import { authenticators } from '../../schema/identity/authenticators.ts';
import { users } from '../../schema/identity/users.ts';
import { dispatcherSessions } from '../../schema/routing/dispatcher-sessions.ts';
import { endedNodeKeys } from '../../schema/routing/ended-node-keys.ts';
import { dispatchers } from '../../schema/sites/dispatchers.ts';
import { mayAct } from '../identity/login/sessions.ts';
import { type Destination, isStillAt } from '../sites/destinations.ts';

export type SealedKey = {
  /** The node that issued the key. */
  node: Destination;
  userId: string | null;
  subject: string;
  sealedKey: string;
  expiresAt: Date;
};

/**
 * Stores a key and replaces the previous one of the subject, unless the destination of the node has changed: a key
 * must never be sent to another destination. Row locks serialise this with changes of the node and with the end of
 * the user's access.
 * @returns one row; no row if the destination has changed, or the user is disabled or deleted
 */
export const upsertNodeKey = (db: Db, key: SealedKey): Promise<{ id: string }[]> =>
  db
    .insert(dispatcherSessions)
    .select(key.userId === null ? serviceKey(db, key) : userKey(db, key, key.userId))
    .onConflictDoUpdate({
      target: [dispatcherSessions.dispatcher_id, dispatcherSessions.subject],
      set: {
        sealed_key: sql`excluded.sealed_key`,
        expires_at: sql`excluded.expires_at`,
        user_id: sql`excluded.user_id`,
      },
    })
    .returning({ id: dispatcherSessions.id });

const serviceKey = (db: Db, key: SealedKey) =>
  db.select(columnsOf(key)).from(dispatchers).where(isStillAt(key.node)).for('share');

const userKey = (db: Db, key: SealedKey, userId: string) =>
  db
    .select(columnsOf(key))
    .from(dispatchers)
    .innerJoin(users, eq(users.id, userId))
    .innerJoin(authenticators, eq(authenticators.id, users.authenticator_id))
    .where(and(isStillAt(key.node), mayAct))
    .for('share');

const columnsOf = ({ userId, subject, sealedKey, expiresAt }: SealedKey) => ({
  id: sql<string>`${newId()}::uuid`.as('id'),
  dispatcher_id: dispatchers.id,
  user_id: sql<string | null>`${userId}::uuid`.as('user_id'),
  subject: sql<string>`${subject}::text`.as('subject'),
  sealed_key: sql<string>`${sealedKey}::text`.as('sealed_key'),
  expires_at: sql<Date>`${expiresAt.toISOString()}::timestamptz`.as('expires_at'),
});

/** Deletes a key that the node has rejected, unless it was replaced meanwhile. */
export const dropKey = (
  h: Db,
  dispatcherId: string,
  { subject, sealed_key }: { subject: string; sealed_key: string },
): Statement =>
  h
    .delete(dispatcherSessions)
    .where(
      and(
        eq(dispatcherSessions.dispatcher_id, dispatcherId),
        eq(dispatcherSessions.subject, subject),
        eq(dispatcherSessions.sealed_key, sealed_key),
      ),
    );

/** Deletes all keys issued by a node. */
export const dropSessionsOf = (h: Db, dispatcherId: string): Statement[] => [
  h.delete(dispatcherSessions).where(eq(dispatcherSessions.dispatcher_id, dispatcherId)),
  h.delete(endedNodeKeys).where(eq(endedNodeKeys.dispatcher_id, dispatcherId)),
];
