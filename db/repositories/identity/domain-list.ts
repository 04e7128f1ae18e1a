import { and, asc, eq, inArray, sql } from 'drizzle-orm';
import type { Db } from '../../client.ts';
import { prebuilt } from '../../prebuilt.ts';
import { authenticators } from '../../schema/identity/authenticators.ts';

type Subjects = 'all' | 'users' | 'staff';

/** Lists the domains that the login page shows to these subjects, ordered by priority and name. */
export const listVisibleDomains = (db: Db, subjects: readonly Subjects[]) =>
  visibleDomains(db, {}, subjects.join());

const visibleDomains = prebuilt((db, _: Record<never, never>, subjects) =>
  db
    .select({
      authUuid: authenticators.id,
      auth: authenticators.name,
      authSmallName: authenticators.small_name,
      type: authenticators.type,
      priority: authenticators.priority,
      isTwoFactor: authenticators.two_factor,
      isBuiltin: authenticators.builtin,
      emailDomains: sql<string[] | null>`${authenticators.params} -> 'email_domains'`,
      isPkinit: sql<boolean>`jsonb_typeof(${authenticators.params} -> 'kerberos') is not distinct from 'object'`,
    })
    .from(authenticators)
    .where(
      and(
        eq(authenticators.state, 'visible'),
        inArray(authenticators.subjects, subjects.split(',') as Subjects[]),
      ),
    )
    .orderBy(asc(authenticators.priority), asc(authenticators.name_key)),
);
