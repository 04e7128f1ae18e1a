import { and, eq, inArray, or } from 'drizzle-orm';
import type { Db } from '../../client.ts';
import { authenticators } from '../../schema/identity/authenticators.ts';
import { users } from '../../schema/identity/users.ts';

/** A user with the label of the domain. */
export type NamedUser = { id: string; name: string; label: string };

/** The names of users, by their ids; those that are not there are left out. */
export const namesOfUsers = (db: Db, ids: readonly string[]): Promise<NamedUser[]> =>
  db
    .select({ id: users.id, name: users.name, label: authenticators.small_name })
    .from(users)
    .innerJoin(authenticators, eq(authenticators.id, users.authenticator_id))
    .where(inArray(users.id, [...ids]));

/** The users with these names; both halves are folded, the first one is the label of the domain. */
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
