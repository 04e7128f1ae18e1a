import { and, eq, isNotNull, isNull, ne, type SQL, sql } from 'drizzle-orm';
import { atomically, type Db, type Statement } from '../../../client.ts';
import { authenticators } from '../../../schema/identity/authenticators.ts';
import { users } from '../../../schema/identity/users.ts';
import { appendMonitoring, type MonitoringEntry } from '../../monitoring/records.ts';

/** Issuers for accounts of several tenants, each of which signs with an issuer of its own: see `isForManyTenants`. */
const severalTenants = '/(common|organizations|consumers)/v2\\.0$';

/**
 * The authority of the people of a domain at present: the directory, or the issuer. Empty if the directory has not shown its identity,
 * or the settings do not name a single issuer.
 */
export const presentAuthority = (domainId: SQL): SQL<string> =>
  sql<string>`${sql`coalesce((select coalesce(${authenticators.directory_authority}, ${singleIssuer}) from ${authenticators}
    where ${authenticators.id} = ${domainId}), '')`}`;

const singleIssuer = sql`case when ${authenticators.params} ->> 'issuer' !~ ${severalTenants} then ${authenticators.params} ->> 'issuer' end`;

/**
 * The people of a domain whose issuer or directory changes belong to the former one. Those who have not signed in yet would otherwise match a
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

/** Stores the identity of the directory of a domain, unless one is stored. @returns the stored one */
export async function learnDirectory(db: Db, domainId: string, shown: string): Promise<string | null> {
  const isDomain = eq(authenticators.id, domainId);
  const authority = { authority: authenticators.directory_authority };
  const [learned] = await db
    .update(authenticators)
    .set({ directory_authority: shown })
    .where(and(isDomain, isNull(authenticators.directory_authority)))
    .returning(authority);
  const [row] = learned ? [learned] : await db.select(authority).from(authenticators).where(isDomain);
  return row?.authority ?? null;
}

/** Stores that the servers of a domain show another directory, with one monitoring record for each change. */
export async function noteOtherDirectory(
  db: Db,
  domainId: string,
  shown: string,
  entry: MonitoringEntry & { at: Date },
): Promise<void> {
  const isNew = and(
    eq(authenticators.id, domainId),
    ne(authenticators.directory_authority, shown),
    sql`${authenticators.other_directory} is distinct from ${shown}`,
  );
  await atomically(db, (h) => [
    h.select({ id: authenticators.id }).from(authenticators).where(isNew).for('update'),
    appendMonitoring(h, entry, sql`exists(select 1 from ${authenticators} where ${isNew})`),
    h.update(authenticators).set({ other_directory: shown, other_directory_at: entry.at }).where(isNew),
  ]);
}

/** The servers of a domain show its own directory again. */
export const forgetOtherDirectory = (db: Db, domainId: string): PromiseLike<unknown> =>
  db.update(authenticators).set(noOtherDirectory).where(eq(authenticators.id, domainId));

export const noOtherDirectory = { other_directory: null, other_directory_at: null } as const;
