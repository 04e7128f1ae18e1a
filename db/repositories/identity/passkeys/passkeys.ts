import { and, eq, isNull, lt, or, sql } from 'drizzle-orm';
import type { Db, Statement } from '../../../client.ts';
import { passkeyRecoveryCodes, passkeys as table } from '../../../schema/identity/passkeys/passkeys.ts';
import { users } from '../../../schema/identity/users.ts';
import { must } from '../../records/statements.ts';
import { deleteUnusedCodes, mustAffect } from './state.ts';

export type NewPasskey = typeof table.$inferInsert;
export type Passkey = typeof table.$inferSelect;
/** Columns that identify a passkey for the authenticator of its user. */
export type PasskeyReference = Pick<Passkey, 'credential_id' | 'transports' | 'user_handle' | 'blocked_at'>;

/** Number of passkeys that a user can have. */
export const maxPasskeys = 20;

const shown = {
  id: table.id,
  name: table.name,
  synced: table.synced,
  backed_up: table.backed_up,
  transports: table.transports,
  created_at: table.created_at,
  last_used_at: table.last_used_at,
  blocked_at: table.blocked_at,
};

/** The list of the passkeys of a user. */
export const passkeys = {
  spec: {
    table,
    select: shown,
    parent: { column: table.user_id, table: users },
    search: [sql`lower(${table.name})`],
    filters: {},
    sorts: { created_at: table.created_at },
  },
};

/** The passkeys of a user, the oldest first. A user has at most 20. */
export const passkeysOfUser = (h: Db, userId: string) =>
  h
    .select(shown)
    .from(table)
    .where(eq(table.user_id, userId))
    .orderBy(table.created_at, table.id)
    .limit(maxPasskeys);

export const findPasskeyReferences = (db: Db, userId: string): Promise<PasskeyReference[]> =>
  db
    .select({
      credential_id: table.credential_id,
      transports: table.transports,
      user_handle: table.user_handle,
      blocked_at: table.blocked_at,
    })
    .from(table)
    .where(eq(table.user_id, userId));

/** Returns the passkey with this credential id, and its user. */
export async function findPasskeyByCredential(db: Db, credentialId: string) {
  const [row] = await db
    .select({ passkey: table, user: { name: users.name, domainId: users.authenticator_id } })
    .from(table)
    .innerJoin(users, eq(users.id, table.user_id))
    .where(eq(table.credential_id, credentialId));
  return row;
}

/** Returns one passkey of the user, with the name of the user. */
export async function findUserPasskey(db: Db, userId: string, id: string) {
  const [row] = await db
    .select({ ...shown, user: users.name })
    .from(table)
    .innerJoin(users, eq(users.id, table.user_id))
    .where(and(eq(table.id, id), eq(table.user_id, userId)));
  return row;
}

/**
 * Stores a passkey. Fails the batch with `already_exists` for a known credential, and with `invalid_state` if the user
 * has too many passkeys. The lock of the user orders concurrent registrations.
 */
export const addPasskey = (h: Db, passkey: NewPasskey): Statement[] => [
  h.select({ id: users.id }).from(users).where(eq(users.id, passkey.user_id)).for('no key update'),
  must(
    h,
    sql`(select count(*) from ${table} where ${table.user_id} = ${passkey.user_id}) < ${maxPasskeys}`,
    'invalid_state:too_many_passkeys',
  ),
  mustAffect(
    h,
    h.insert(table).values(passkey).onConflictDoNothing().returning({ id: table.id }).getSQL(),
    'already_exists',
  ),
];

/**
 * Records a use. Fails the batch with `invalid_credentials` if the passkey was deleted or blocked, or this counter or a
 * later one was accepted meanwhile. Authenticators without a counter always send 0.
 */
export const noteUse = (
  h: Db,
  id: string,
  use: { counter: number; backedUp: boolean; at: Date },
): Statement =>
  mustAffect(
    h,
    h
      .update(table)
      .set({ counter: use.counter, backed_up: use.backedUp, last_used_at: use.at })
      .where(
        and(
          eq(table.id, id),
          isNull(table.blocked_at),
          or(lt(table.counter, use.counter), and(eq(table.counter, 0), sql`${use.counter}::bigint = 0`)),
        ),
      )
      .returning({ id: table.id })
      .getSQL(),
    'invalid_credentials',
  );

/** Records a login with a passkey. Fails the batch unless the user may log in. The row stays locked. */
export function notePasskeyLogin(h: Db, userId: string, now: Date): Statement[] {
  const mayLogIn = and(eq(users.id, userId), eq(users.state, 'active'), eq(users.kind, 'person'));
  return [
    h.update(users).set({ last_login_at: now }).where(mayLogIn),
    must(h, sql`exists(select 1 from ${users} where ${mayLogIn})`, 'invalid_credentials'),
  ];
}

export const blockPasskey = (h: Db, id: string, at: Date): Statement =>
  h
    .update(table)
    .set({ blocked_at: at })
    .where(and(eq(table.id, id), isNull(table.blocked_at)));

export const renamePasskey = (h: Db, userId: string, id: string, name: string): Statement =>
  mustAffect(
    h,
    h
      .update(table)
      .set({ name })
      .where(and(eq(table.id, id), eq(table.user_id, userId)))
      .returning({ id: table.id })
      .getSQL(),
    'not_found',
  );

/** Deletes a passkey, and the recovery codes with the last one. Those of an authenticator app stay. */
export const deletePasskey = (h: Db, userId: string, id: string): Statement[] => [
  mustAffect(
    h,
    h
      .delete(table)
      .where(and(eq(table.id, id), eq(table.user_id, userId)))
      .returning({ id: table.id })
      .getSQL(),
    'not_found',
  ),
  deleteUnusedCodes(h, userId),
];

export const addPasskeyCodes = (h: Db, userId: string, codeHashes: readonly string[]): Statement[] => [
  h.delete(passkeyRecoveryCodes).where(eq(passkeyRecoveryCodes.user_id, userId)),
  h.insert(passkeyRecoveryCodes).values(codeHashes.map((code_hash) => ({ user_id: userId, code_hash }))),
];
