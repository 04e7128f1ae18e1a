import { and, desc, eq, inArray, sql } from 'drizzle-orm';
import type { Db, Statement } from '../../client.ts';
import { authenticators } from '../../schema/identity/authenticators.ts';
import { clientKeys as table } from '../../schema/identity/providers/client-keys.ts';

export type ClientKey = typeof table.$inferSelect;

/** The signing key and its predecessor. */
const published = 2;

/** The keys of a domain, the signing key first. Identifiers are ordered by time. */
export const findClientKeys = (db: Db, domainId: string): Promise<ClientKey[]> =>
  db
    .select()
    .from(table)
    .where(eq(table.authenticator_id, domainId))
    .orderBy(desc(table.id))
    .limit(published);

/** The public keys of a domain of a type; undefined if there is no such domain. */
export async function findPublishedKeys(
  db: Db,
  domainId: string,
  types: readonly string[],
): Promise<Pick<ClientKey, 'id' | 'public_jwk'>[] | undefined> {
  const rows = await db
    .select({ id: table.id, public_jwk: table.public_jwk })
    .from(authenticators)
    .leftJoin(table, eq(table.authenticator_id, authenticators.id))
    .where(and(eq(authenticators.id, domainId), inArray(authenticators.type, [...types])))
    .orderBy(desc(table.id))
    .limit(published);
  if (rows.length === 0) return undefined;
  return rows.flatMap(({ id, public_jwk }) =>
    id === null || public_jwk === null ? [] : [{ id, public_jwk }],
  );
}

/** Adds the new signing key of a domain, and deletes all but its predecessor. */
export const addClientKey = (h: Db, key: ClientKey): Statement[] => [
  h.insert(table).values(key),
  h.delete(table).where(
    and(
      eq(table.authenticator_id, key.authenticator_id),
      sql`${table.id} not in (select id from ${table} as newest where newest.authenticator_id = ${key.authenticator_id}
        order by newest.id desc limit ${published})`,
    ),
  ),
];
