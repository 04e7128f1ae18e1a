import { and, asc, eq, gt, inArray, lte, type SQL, sql } from 'drizzle-orm';
import { newId } from '../../../shared/kernel/ids.ts';
import type { Db, Statement } from '../../client.ts';
import { dispatcherSessions } from '../../schema/routing/dispatcher-sessions.ts';
import { endedNodeKeys as table } from '../../schema/routing/ended-node-keys.ts';
import { dispatchers } from '../../schema/sites/dispatchers.ts';
import { isStillAt } from '../sites/destinations.ts';
import type { SealedKey } from './dispatcher-sessions.ts';

/**
 * Ends the cached keys of users: they are no longer used, and a job logs them out. Keys of deleted users, and keys of
 * nodes on which the portal has an account, are ended by a trigger.
 * @param whose a select of user ids
 */
export const endNodeKeys = (h: Db, whose: SQL): Statement =>
  h.execute(sql`
    with ended as (
      delete from ${dispatcherSessions} where ${dispatcherSessions.user_id} in (${whose}) returning *
    )
    insert into ${table} (id, dispatcher_id, subject, sealed_key, expires_at)
    select id, dispatcher_id, subject, sealed_key, expires_at from ended where expires_at > now()
      and not exists (select from ${dispatchers} d where d.id = ended.dispatcher_id and d.account_name is not null)`);

/** Stores a key of a disabled user for log-out, unless the destination of the node has changed. */
export const storeEndedKey = async (
  db: Db,
  { node, subject, sealedKey, expiresAt }: Omit<SealedKey, 'userId'>,
): Promise<void> => {
  await db.execute(sql`
    insert into ${table} (id, dispatcher_id, subject, sealed_key, expires_at)
    select ${newId()}::uuid, ${dispatchers.id}, ${subject}::text, ${sealedKey}::text, ${expiresAt.toISOString()}::timestamptz
    from ${dispatchers} where ${isStillAt(node)} for share`);
};

/** A key of a disabled or deleted user, and the node that issued it. */
export type EndedKey = {
  id: string;
  subject: string;
  sealed_key: string;
  node: Pick<
    typeof dispatchers.$inferSelect,
    | 'id'
    | 'kind'
    | 'name'
    | 'url'
    | 'ca_certificate'
    | 'verify_tls'
    | 'timeout_ms'
    | 'account_domain'
    | 'account_name'
    | 'account_password'
  >;
};

/** Back-off in seconds: doubled with each attempt, at most 64. */
const pause = sql`make_interval(secs => power(2, least(5, ${table.tries}) + 1))`;

/**
 * Takes due ended keys, least attempted first, and sets the time of their next attempt. A key that is not deleted by
 * then is returned again. Expired keys need no log-out.
 */
export async function claimEndedKeys(db: Db, limit: number): Promise<EndedKey[]> {
  const due = db
    .select({ id: table.id })
    .from(table)
    .where(and(gt(table.expires_at, sql`now()`), lte(table.log_out_after, sql`now()`)))
    .orderBy(asc(table.tries))
    .limit(limit)
    .for('update', { skipLocked: true });
  return db
    .update(table)
    .set({ tries: sql`${table.tries} + 1`, log_out_after: sql`now() + ${pause}` })
    .from(dispatchers)
    .where(and(inArray(table.id, due), eq(dispatchers.id, table.dispatcher_id)))
    .returning({
      id: table.id,
      subject: table.subject,
      sealed_key: table.sealed_key,
      node: {
        id: dispatchers.id,
        kind: dispatchers.kind,
        name: dispatchers.name,
        url: dispatchers.url,
        ca_certificate: dispatchers.ca_certificate,
        verify_tls: dispatchers.verify_tls,
        timeout_ms: dispatchers.timeout_ms,
        account_domain: dispatchers.account_domain,
        account_name: dispatchers.account_name,
        account_password: dispatchers.account_password,
      },
    });
}

/** Deletes a key that its node has logged out. */
export const deleteEndedKey = (h: Db, id: string): Statement => h.delete(table).where(eq(table.id, id));
