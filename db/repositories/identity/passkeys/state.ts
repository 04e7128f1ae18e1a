import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Db, Statement } from '../../../client.ts';
import { passkeyRecoveryCodes, passkeys as table } from '../../../schema/identity/passkeys/passkeys.ts';

export const deletePasskeysOf = (h: Db, userId: string): Statement =>
  h.delete(table).where(eq(table.user_id, userId));

/** Deletes the recovery codes of a user without a passkey. */
export const deleteUnusedCodes = (h: Db, userId: string): Statement =>
  h
    .delete(passkeyRecoveryCodes)
    .where(and(eq(passkeyRecoveryCodes.user_id, userId), sql`not ${hasPasskey(sql`${userId}::uuid`)}`));

/** The condition that the user has a passkey. A blocked one counts, so that blocking never weakens the login. */
export const hasPasskey = (user: PgColumn | SQL): SQL =>
  sql`exists(select 1 from ${table} where ${table.user_id} = ${user})`;

/** The condition that the user has a passkey that is not blocked. */
export const hasUsablePasskey = (user: PgColumn | SQL): SQL =>
  sql`exists(select 1 from ${table} where ${table.user_id} = ${user} and ${table.blocked_at} is null)`;

/** Runs a change and fails the batch with this code if it changed no row. */
export const mustAffect = (h: Db, change: SQL, code: string): Statement =>
  h.execute(sql`with hit as (${change}) select must(exists(select 1 from hit), ${code}) as raised`);
