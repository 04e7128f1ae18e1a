import { and, eq, sql } from 'drizzle-orm';
import { newId } from '../../shared/kernel/ids.ts';
import type { Db, Statement } from '../client.ts';
import { dispatcherSessions } from '../schema/dispatcher-sessions.ts';
import { dispatchers } from '../schema/dispatchers.ts';
import { type Destination, isStillAt } from './destinations.ts';

export type SealedKey = {
  /** Where the key was obtained. */
  node: Destination;
  userId: string | null;
  subject: string;
  sealedKey: string;
  expiresAt: Date;
};

/**
 * Keeps a key in place of the former one of the same subject, unless its node has moved meanwhile: the new destination
 * must never see it. The lock makes a move under way come before or after, never between.
 */
export const keepKey = (h: Db, { node, userId, subject, sealedKey, expiresAt }: SealedKey): Statement =>
  h
    .insert(dispatcherSessions)
    .select(
      h
        .select({
          id: sql<string>`${newId()}::uuid`.as('id'),
          dispatcher_id: dispatchers.id,
          user_id: sql<string | null>`${userId}::uuid`.as('user_id'),
          subject: sql<string>`${subject}::text`.as('subject'),
          sealed_key: sql<string>`${sealedKey}::text`.as('sealed_key'),
          expires_at: sql<Date>`${expiresAt.toISOString()}::timestamptz`.as('expires_at'),
        })
        .from(dispatchers)
        .where(isStillAt(node))
        .for('share'),
    )
    .onConflictDoUpdate({
      target: [dispatcherSessions.dispatcher_id, dispatcherSessions.subject],
      set: {
        sealed_key: sql`excluded.sealed_key`,
        expires_at: sql`excluded.expires_at`,
        user_id: sql`excluded.user_id`,
      },
    });

/** Drops a key that its node no longer knows, unless another one has taken its place meanwhile. */
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

/** Drops every key that a node gave us. */
export const dropSessionsOf = (h: Db, dispatcherId: string): Statement =>
  h.delete(dispatcherSessions).where(eq(dispatcherSessions.dispatcher_id, dispatcherId));
