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

/** The same for keys of the portal itself, in one statement. Nodes are locked in order to avoid deadlocks. */
export async function upsertServiceKeys(db: Db, keys: readonly SealedKey[]): Promise<void> {
  if (keys.length === 0) return;
  const rows = keys.map(({ node, subject, sealedKey, expiresAt }) => {
    const { id: node_id, kind, name, url, caCertificate: ca = null, verifyTls: verify_tls, account } = node;
    const { domain = null, name: login = null } = account ?? {};
    const at = { node_id, kind, name, url, ca, verify_tls, domain, login };
    return { id: newId(), ...at, subject, sealedKey, expiresAt };
  });
  await db.execute(sql`
    insert into ${dispatcherSessions} (id, dispatcher_id, user_id, subject, sealed_key, expires_at)
    select given.id, d.id, null, given.subject, given."sealedKey", given."expiresAt"
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given(id uuid, node_id uuid, kind text, name text,
      url text, ca text, verify_tls boolean, domain text, login text, subject text, "sealedKey" text, "expiresAt" timestamptz)
    join ${dispatchers} d on d.id = given.node_id and d.kind = given.kind and d.name = given.name and d.url = given.url
      and d.verify_tls = given.verify_tls and d.ca_certificate is not distinct from given.ca
      and d.account_domain is not distinct from given.domain and d.account_name is not distinct from given.login
    order by d.id for share of d
    on conflict (dispatcher_id, subject) do update set sealed_key = excluded.sealed_key, expires_at = excluded.expires_at,
      user_id = excluded.user_id`);
}

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
