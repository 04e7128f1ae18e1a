import { and, eq, inArray, or } from 'drizzle-orm';
import type { Db } from '../../client.ts';
import { authenticators } from '../../schema/identity/authenticators.ts';
import { users } from '../../schema/identity/users.ts';

/** A user with the label of the domain. */
export type NamedUser = { id: string; name: string; label: string };

/** Returns users by id; unknown ids are omitted. */
export const namesOfUsers = (db: Db, ids: readonly string[]): Promise<NamedUser[]> =>
  db
    .select({ id: users.id, name: users.name, label: authenticators.small_name })
    .from(users)
    .innerJoin(authenticators, eq(authenticators.id, users.authenticator_id))
    .where(inArray(users.id, [...ids]));

/** Returns users by folded domain label and folded name. */
export const usersNamed = (
  db: Db,
  names: readonly { labelKey: string; nameKey: string }[],
): Promise<NamedUser[]> =>
  db
    .select({ id: users.id, name: users.name, label: authenticators.small_name })
    .from(users)
    .innerJoin(authenticators, eq(authenticators.id, users.authenticator_id))
    .where(
      or(
        ...names.map(({ labelKey, nameKey }) =>
          and(eq(authenticators.small_name_key, labelKey), eq(users.name_key, nameKey)),
        ),
      ),
    );
