import { and, eq, sql } from 'drizzle-orm';
import { newId } from '../../shared/kernel/ids.ts';
import type { Db, Statement } from '../client.ts';
import { dispatcherSessions } from '../schema/dispatcher-sessions.ts';

export type SealedKey = {
  dispatcherId: string;
  userId: string | null;
  subject: string;
  sealedKey: string;
  expiresAt: Date;
};

/** Keeps a key in place of the former one of the same subject. */
export const keepKey = (
  h: Db,
  { dispatcherId, userId, subject, sealedKey, expiresAt }: SealedKey,
): Statement =>
  h
    .insert(dispatcherSessions)
    .values({
      id: newId(),
      dispatcher_id: dispatcherId,
      user_id: userId,
      subject,
      sealed_key: sealedKey,
      expires_at: expiresAt,
    })
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
