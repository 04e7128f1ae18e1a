import { and, asc, eq, inArray } from 'drizzle-orm';
import type { Db } from '../client.ts';
import { authenticators } from '../schema/authenticators.ts';

type Subjects = 'all' | 'users' | 'staff';

/** Domains that a login page shows to these subjects, by priority and name. */
export const listVisibleDomains = (db: Db, subjects: readonly Subjects[]) =>
  db
    .select({
      authUuid: authenticators.id,
      auth: authenticators.name,
      authSmallName: authenticators.small_name,
      type: authenticators.type,
      priority: authenticators.priority,
      isTwoFactor: authenticators.two_factor,
    })
    .from(authenticators)
    .where(and(eq(authenticators.state, 'visible'), inArray(authenticators.subjects, [...subjects])))
    .orderBy(asc(authenticators.priority), asc(authenticators.name_key));

/** Whether a domain of this id exists and lets anybody log in. */
export async function findLiveDomain(db: Db, id: string) {
  const [row] = await db
    .select({ id: authenticators.id, state: authenticators.state, type: authenticators.type })
    .from(authenticators)
    .where(eq(authenticators.id, id));
  return row && row.state !== 'disabled' ? row : undefined;
}
