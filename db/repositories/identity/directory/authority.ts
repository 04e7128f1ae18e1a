import { and, eq, isNotNull, type SQL, sql } from 'drizzle-orm';
import type { Db, Statement } from '../../../client.ts';
import { authenticators } from '../../../schema/identity/authenticators.ts';
import { users } from '../../../schema/identity/users.ts';

/** Issuers for accounts of several tenants, each of which signs with an issuer of its own: see `isForManyTenants`. */
const severalTenants = '/(common|organizations|consumers)/v2\\.0$';

/** The issuer of the people of a domain at present; empty if its settings do not name a single one. */
export const presentAuthority = (domainId: SQL): SQL<string> =>
  sql<string>`${sql`coalesce((select ${authenticators.params} ->> 'issuer' from ${authenticators}
    where ${authenticators.id} = ${domainId} and ${authenticators.params} ->> 'issuer' !~ ${severalTenants}), '')`}`;

/**
 * The people of a domain whose issuer changes belong to the former one. Those who have not signed in yet would otherwise match a
 * person with the same identifier at the new one.
 */
export const moveAuthority = (h: Db, domainId: string, { former, next }: Move): Statement[] => [
  setAuthority(h, domainId, '', former),
  // An issuer for several tenants signs no token itself, so that its people are bound by their next sign-in again.
  ...(new RegExp(severalTenants).test(next) ? [setAuthority(h, domainId, next, '')] : []),
];

type Move = { former: string; next: string };

const setAuthority = (h: Db, domainId: string, from: string, to: string): Statement =>
  h
    .update(users)
    .set({ directory_authority: to })
    .where(
      and(
        eq(users.authenticator_id, domainId),
        isNotNull(users.directory_id),
        eq(users.directory_authority, from),
      ),
    );
