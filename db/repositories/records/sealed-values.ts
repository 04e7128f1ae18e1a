import { and, asc, getTableName, gt, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Db } from '../../client.ts';
import { authenticators } from '../../schema/identity/authenticators.ts';
import { loginChallenges } from '../../schema/identity/login-challenges.ts';
import { pkinitChallenges } from '../../schema/identity/pkinit-challenges.ts';
import { clientKeys } from '../../schema/identity/providers/client-keys.ts';
import { providerGrants } from '../../schema/identity/providers/grants.ts';
import { providerLogins, providerSessions } from '../../schema/identity/providers/sessions.ts';
import { signInTests } from '../../schema/identity/providers/sign-in-tests.ts';
import { secondFactors } from '../../schema/identity/second-factors.ts';
import { passwordHistory } from '../../schema/identity/users.ts';
import { idempotencyKeys } from '../../schema/jobs/idempotency-keys.ts';
import { dispatcherSessions } from '../../schema/routing/dispatcher-sessions.ts';
import { endedNodeKeys } from '../../schema/routing/ended-node-keys.ts';
import { installation } from '../../schema/settings/installation.ts';
import { dispatchers } from '../../schema/sites/dispatchers.ts';
import { webhooks } from '../../schema/webhooks/webhooks.ts';
import { secretPattern } from '../identity/secret-members.ts';

/** A column with values sealed by a `Sealer`, with the names that the values are bound to. */
export type SealedColumn = {
  table: PgTable;
  column: PgColumn;
  /** The sealed member of a JSON column; the values are bound to `<column>.<member>`. */
  member?: string;
  /** The names of the sealed members of a JSON column, as a POSIX regular expression; `placesIn` finds the members. */
  members?: string;
  /** The row name that a value is bound to. */
  row: SQL<string>;
  /** The table that the values were sealed for, if they were moved from another table. */
  sealedFor?: PgTable;
  /** Values expire soon, so that an old key may be removed before all of them are resealed. */
  expires?: true;
};

/**
 * All columns with sealed values. Values of a column that is missing here are lost when their key is removed. A test
 * compares the list with the places in the code.
 */
export const sealedColumns: readonly SealedColumn[] = [
  { table: dispatchers, column: dispatchers.health_key, row: sql`${dispatchers.id}::text` },
  { table: dispatchers, column: dispatchers.account_password, row: sql`${dispatchers.id}::text` },
  {
    table: dispatcherSessions,
    column: dispatcherSessions.sealed_key,
    row: sql`${dispatcherSessions.dispatcher_id} || '/' || ${dispatcherSessions.subject}`,
    expires: true,
  },
  {
    table: endedNodeKeys,
    column: endedNodeKeys.sealed_key,
    row: sql`${endedNodeKeys.dispatcher_id} || '/' || ${endedNodeKeys.subject}`,
    sealedFor: dispatcherSessions,
    expires: true,
  },
  {
    table: idempotencyKeys,
    column: idempotencyKeys.sealed_body,
    row: sql`coalesce(${idempotencyKeys.user_id}, ${idempotencyKeys.peer_id}) || '/' || ${idempotencyKeys.key}`,
    expires: true,
  },
  {
    table: signInTests,
    column: signInTests.sealed_result,
    row: sql`${signInTests.id}::text`,
    expires: true,
  },
  {
    table: pkinitChallenges,
    column: pkinitChallenges.sealed_state,
    row: sql`${pkinitChallenges.token_hash}`,
    expires: true,
  },
  {
    table: providerSessions,
    column: providerSessions.sealed_id_token,
    row: sql`${providerSessions.session_id}::text`,
  },
  {
    table: providerGrants,
    column: providerGrants.sealed_grant,
    row: sql`${providerGrants.id}::text`,
  },
  {
    table: providerLogins,
    column: providerLogins.sealed_state,
    row: sql`${providerLogins.token_hash}`,
    expires: true,
  },
  {
    table: authenticators,
    column: authenticators.params,
    members: secretPattern,
    row: sql`${authenticators.id}::text`,
  },
  { table: clientKeys, column: clientKeys.sealed_private_key, row: sql`${clientKeys.id}::text` },
  { table: secondFactors, column: secondFactors.sealed_secret, row: sql`${secondFactors.user_id}::text` },
  { table: webhooks, column: webhooks.sealed_query, row: sql`${webhooks.id}::text` },
  { table: webhooks, column: webhooks.sealed_secret, row: sql`${webhooks.id}::text` },
  { table: webhooks, column: webhooks.sealed_former_secret, row: sql`${webhooks.id}::text` },
  { table: passwordHistory, column: passwordHistory.sealed_hash, row: sql`${passwordHistory.id}::text` },
  { table: installation, column: installation.secret_key_check, row: sql`'installation'` },
  {
    table: loginChallenges,
    column: loginChallenges.sealed_secret,
    row: sql`${loginChallenges.id}::text`,
    expires: true,
  },
];

/** The places of a column: for a JSON column with sealed members, one for each member that a row has. */
export async function placesIn(db: Db, { members, ...place }: SealedColumn): Promise<SealedColumn[]> {
  if (members === undefined) return [place];
  const rows = await db
    .selectDistinct({ member: sql<string>`member` })
    .from(sql`${place.table} cross join lateral jsonb_object_keys(${place.column}) as member`)
    .where(sql`member ~ ${members}`)
    .orderBy(sql`member`);
  return rows.map(({ member }) => ({ ...place, member }));
}

/** Whether values of this place, as `nameOfColumn` writes it, are found. */
export const isSealedPlace = (name: string): boolean =>
  sealedColumns.some(({ members, ...place }) => {
    const column = nameOfColumn(place);
    return members === undefined
      ? name === column
      : name.startsWith(`${column}.`) && new RegExp(members).test(name);
  });

/** The place that a value of this row is bound to. */
export const placeOf = ({ table, column, member, sealedFor }: SealedColumn, row: string) => ({
  table: getTableName(sealedFor ?? table),
  row,
  column: member === undefined ? column.name : `${column.name}.${member}`,
});

/** Name of the table and the column for operators. */
export const nameOfColumn = (column: SealedColumn): string =>
  `${getTableName(column.table)}.${placeOf(column, '').column}`;

export type SealedValue = { row: string; sealed: string };

/** Returns one value per key that was used in the column, to find out which keys a database needs. */
export const sampleOf = (db: Db, place: SealedColumn): Promise<SealedValue[]> =>
  db
    .selectDistinctOn([sql`split_part(${textOf(place)}, '.', 1)`], {
      row: sql<string>`${place.row}`.as('row'),
      sealed: sql<string>`${textOf(place)}`.as('sealed'),
    })
    .from(place.table)
    .where(sql`${textOf(place)} is not null`);

const pageSize = 500;

/** Returns a page of values sealed with other keys, ordered by row. */
export const sealedByOthers = (
  db: Db,
  place: SealedColumn,
  keyId: string,
  after: string,
): Promise<SealedValue[]> => {
  const row = sql<string>`${place.row} collate "C"`;
  return db
    .select({ row: sql<string>`${row}`.as('row'), sealed: sql<string>`${textOf(place)}`.as('sealed') })
    .from(place.table)
    .where(and(isByOthers(place, keyId), gt(row, after)))
    .orderBy(asc(row))
    .limit(pageSize);
};

export async function countSealedByOthers(db: Db, place: SealedColumn, keyId: string): Promise<number> {
  const [counted] = await db
    .select({ n: sql<number>`count(*)::int` })
    .from(place.table)
    .where(isByOthers(place, keyId));
  return counted?.n ?? 0;
}

/** Replaces sealed values; a value that was changed meanwhile is kept. */
export async function replaceSealed(
  db: Db,
  place: SealedColumn,
  values: readonly (SealedValue & { resealed: string })[],
): Promise<void> {
  const column = sql.identifier(place.column.name);
  const value =
    place.member === undefined
      ? sql`changed.resealed`
      : sql`jsonb_set(${column}, array[${place.member}], to_jsonb(changed.resealed))`;
  await db.execute(sql`
    update ${place.table} set ${column} = ${value}
    from jsonb_to_recordset(${JSON.stringify(values)}::jsonb) as changed("row" text, sealed text, resealed text)
    where ${place.row} = changed."row" and ${textOf(place)} = changed.sealed`);
}

const textOf = ({ column, member }: SealedColumn): SQL =>
  member === undefined ? sql`${column}` : sql`(${column} ->> ${member})`;

const isByOthers = (place: SealedColumn, keyId: string): SQL =>
  sql`${textOf(place)} is not null and ${textOf(place)} not like ${`${keyId}.%`}`;
