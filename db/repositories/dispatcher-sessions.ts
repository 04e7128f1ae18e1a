import { and, asc, eq, gt, inArray, isNull, lte, or, type SQL, sql } from 'drizzle-orm';
import { newId } from '../../shared/kernel/ids.ts';
import type { Db, Statement } from '../client.ts';
import { authenticators } from '../schema/authenticators.ts';
import { dispatcherSessions } from '../schema/dispatcher-sessions.ts';
import { dispatchers } from '../schema/dispatchers.ts';
import { users } from '../schema/users.ts';
import { type Destination, isStillAt } from './destinations.ts';
import { mayAct } from './login-sessions.ts';

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
 * must never see it. The locks make a move of the node, and the end of the user's access, come before or after, never
 * between: a key for a user who was deactivated meanwhile is kept as an ended one.
 * @returns one row, or none if the node has moved or the user was deleted
 */
export const keepKey = (db: Db, key: SealedKey): Promise<{ id: string }[]> =>
  db
    .insert(dispatcherSessions)
    .select(key.userId === null ? serviceKey(db, key) : userKey(db, key, key.userId))
    .onConflictDoUpdate({
      target: [dispatcherSessions.dispatcher_id, dispatcherSessions.subject],
      targetWhere: isNull(dispatcherSessions.ended_at),
      set: {
        sealed_key: sql`excluded.sealed_key`,
        expires_at: sql`excluded.expires_at`,
        user_id: sql`excluded.user_id`,
      },
    })
    .returning({ id: dispatcherSessions.id });

const serviceKey = (db: Db, key: SealedKey) =>
  db.select(columnsOf(key, sql`null`)).from(dispatchers).where(isStillAt(key.node)).for('share');

const userKey = (db: Db, key: SealedKey, userId: string) =>
  db
    .select(columnsOf(key, sql`case when ${mayAct} then null else now() end`))
    .from(dispatchers)
    .innerJoin(users, eq(users.id, userId))
    .innerJoin(authenticators, eq(authenticators.id, users.authenticator_id))
    .where(isStillAt(key.node))
    .for('share');

const columnsOf = ({ userId, subject, sealedKey, expiresAt }: SealedKey, endedAt: SQL) => ({
  id: sql<string>`${newId()}::uuid`.as('id'),
  dispatcher_id: dispatchers.id,
  user_id: sql<string | null>`${userId}::uuid`.as('user_id'),
  subject: sql<string>`${subject}::text`.as('subject'),
  sealed_key: sql<string>`${sealedKey}::text`.as('sealed_key'),
  expires_at: sql<Date>`${expiresAt.toISOString()}::timestamptz`.as('expires_at'),
  ended_at: sql<Date | null>`(${endedAt})::timestamptz`.as('ended_at'),
  log_out_tries: sql<number>`0`.as('log_out_tries'),
  log_out_after: sql<Date | null>`null::timestamptz`.as('log_out_after'),
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

/** A key of a user who was deactivated or deleted, at the node that gave it. */
export type EndedKey = {
  id: string;
  subject: string;
  sealed_key: string;
  node: Pick<
    typeof dispatchers.$inferSelect,
    'id' | 'name' | 'url' | 'ca_certificate' | 'verify_tls' | 'timeout_ms'
  >;
};

const isEnded = or(
  sql`${dispatcherSessions.ended_at} is not null`,
  and(isNull(dispatcherSessions.user_id), sql`${dispatcherSessions.subject} <> 'aggregator'`),
);

/** Seconds until the next attempt: doubled with each, up to a minute. */
const pause = sql`make_interval(secs => least(60, power(2, ${dispatcherSessions.log_out_tries} + 1)))`;

/**
 * Takes ended keys that are due, those that were tried least first, and sets the time of their next attempt: a key that
 * is not deleted by then comes again. Keys that have expired need no log-out.
 */
export async function claimEndedKeys(db: Db, limit: number): Promise<EndedKey[]> {
  const due = db
    .select({ id: dispatcherSessions.id })
    .from(dispatcherSessions)
    .where(
      and(
        isEnded,
        gt(dispatcherSessions.expires_at, sql`now()`),
        or(isNull(dispatcherSessions.log_out_after), lte(dispatcherSessions.log_out_after, sql`now()`)),
      ),
    )
    .orderBy(asc(dispatcherSessions.log_out_tries))
    .limit(limit)
    .for('update', { skipLocked: true });
  return db
    .update(dispatcherSessions)
    .set({
      log_out_tries: sql`${dispatcherSessions.log_out_tries} + 1`,
      log_out_after: sql`now() + ${pause}`,
    })
    .from(dispatchers)
    .where(and(inArray(dispatcherSessions.id, due), eq(dispatchers.id, dispatcherSessions.dispatcher_id)))
    .returning({
      id: dispatcherSessions.id,
      subject: dispatcherSessions.subject,
      sealed_key: dispatcherSessions.sealed_key,
      node: {
        id: dispatchers.id,
        name: dispatchers.name,
        url: dispatchers.url,
        ca_certificate: dispatchers.ca_certificate,
        verify_tls: dispatchers.verify_tls,
        timeout_ms: dispatchers.timeout_ms,
      },
    });
}

/** Deletes a key that its node has ended. */
export const forgetKey = (h: Db, id: string): Statement =>
  h.delete(dispatcherSessions).where(eq(dispatcherSessions.id, id));
