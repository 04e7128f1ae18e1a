import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Db, Statement } from '../../../client.ts';
import { authenticators } from '../../../schema/identity/authenticators.ts';
import { groupMembers } from '../../../schema/identity/groups.ts';
import { loginSessions } from '../../../schema/identity/login-sessions.ts';
import { providerGrants as grants } from '../../../schema/identity/providers/grants.ts';
import { providerSessions as sessions } from '../../../schema/identity/providers/sessions.ts';
import { users } from '../../../schema/identity/users.ts';
import { derived, must } from '../../records/statements.ts';

/** A grant for a session that begins now. */
export type NewGrant = Pick<
  typeof grants.$inferInsert,
  'id' | 'authenticator_id' | 'user_id' | 'sealed_grant'
> & { checkInS: number };

export const addGrant = (h: Db, { checkInS, ...grant }: NewGrant): Statement =>
  h.insert(grants).values({ ...grant, checked_at: sql`now()`, next_check_at: after(checkInS) });

const after = (seconds: number) => sql`now() + ${seconds} * interval '1 second'`;

/** A check that ends without a result is repeated after this time, in seconds. */
const claimS = 120;
/** Seconds between the first check without a result and the end of the sessions. A provider may be down for a while. */
const longestFailingS = 7_200;

export type ClaimedGrant = Awaited<ReturnType<typeof claimGrants>>[number];

/**
 * Claims grants whose check is due, of each domain the oldest.
 * @param most number of grants by domain, and of domains that are not named
 */
export async function claimGrants(
  db: Db,
  claim: string,
  most: { byDomain: Readonly<Record<string, number>>; otherwise: number },
) {
  const limit = sql`coalesce((${JSON.stringify(most.byDomain)}::jsonb ->> ${authenticators.id}::text)::int, ${most.otherwise}::int)`;
  const due = sql`select next.id from ${authenticators} cross join lateral (
    select due.id from ${grants} due
    where due.authenticator_id = ${authenticators.id} and due.next_check_at <= now()
    order by due.next_check_at limit ${limit} for update skip locked) as next`;
  const claimed = await db
    .update(grants)
    .set({ claim, next_check_at: after(claimS) })
    .where(inArray(grants.id, sql`(${due})`))
    .returning({ id: grants.id });
  if (claimed.length === 0) return [];
  return db
    .select({
      grant: grants,
      domain: authenticators,
      user: { id: users.id, name: users.name, state: users.state },
      memberOf: derived<string[]>(
        sql`select coalesce(jsonb_agg(${groupMembers.group_id}), '[]') from ${groupMembers} where ${groupMembers.user_id} = ${users.id}`,
      ),
      sessions: derived<number>(
        sql`select count(*)::int from ${sessions} where ${sessions.grant_id} = ${grants.id}`,
      ),
      isOverdue: sql<boolean>`coalesce(${hasFailedTooLong}, false)`,
    })
    .from(grants)
    .innerJoin(authenticators, eq(authenticators.id, grants.authenticator_id))
    .innerJoin(users, eq(users.id, grants.user_id))
    .where(eq(grants.claim, claim));
}

const hasFailedTooLong = sql`${grants.failing_since} < now() - ${longestFailingS} * interval '1 second'`;

/** Number of grants of a domain, and the seconds since the oldest successful check of one that does not fail. */
export type GrantFigures = { domain: { id: string; name: string }; grants: number; oldestS: number };

export const grantFigures = (db: Db): Promise<GrantFigures[]> =>
  db
    .select({
      domain: { id: authenticators.id, name: authenticators.name },
      grants: sql<number>`count(*)::int`,
      oldestS: sql<number>`coalesce(extract(epoch from now() - min(${grants.checked_at}) filter (where ${grants.failing_since} is null)), 0)::float8`,
    })
    .from(grants)
    .innerJoin(authenticators, eq(authenticators.id, grants.authenticator_id))
    .groupBy(authenticators.id);

/** After the end of a session: its grant is looked at soon, and given back if no other session uses it. */
export const hastenCheck = (h: Db, sessionId: string): Statement =>
  h
    .update(grants)
    .set({ next_check_at: sql`now()` })
    .where(
      inArray(
        grants.id,
        h.select({ id: sessions.grant_id }).from(sessions).where(eq(sessions.session_id, sessionId)),
      ),
    );

type Claim = { id: string; claim: string };

/** Fails the batch with `precondition_failed` if the grant has ended or another check has claimed it. */
const mustBeClaimed = (h: Db, { id, claim }: Claim): Statement =>
  must(
    h,
    sql`(select ${grants.id} from ${grants} where ${and(eq(grants.id, id), eq(grants.claim, claim))} for update) is not null`,
    'precondition_failed',
  );

/** Stores the result of a successful check. */
export const noteChecked = (
  h: Db,
  claimed: Claim,
  next: { sealedGrant: string; checkInS: number },
): Statement[] => [
  mustBeClaimed(h, claimed),
  h
    .update(grants)
    .set({
      claim: null,
      sealed_grant: next.sealedGrant,
      checked_at: sql`now()`,
      failing_since: null,
      next_check_at: after(next.checkInS),
    })
    .where(eq(grants.id, claimed.id)),
];

const failingSince = sql`coalesce(${grants.failing_since}, now())`;

/** Repeats a check later that had no result. */
export async function postponeCheck(db: Db, { id, claim }: Claim, checkInS: number): Promise<void> {
  await db
    .update(grants)
    .set({ claim: null, failing_since: failingSince, next_check_at: after(checkInS) })
    .where(and(eq(grants.id, id), eq(grants.claim, claim)));
}

/**
 * Repeats all due checks of a domain later, because its provider does not answer. They count as failed, and are spread
 * over as much time again. Those of sessions that end now stay due.
 */
export async function postponeDue(db: Db, domainId: string, checkInS: number): Promise<void> {
  await db
    .update(grants)
    .set({
      failing_since: failingSince,
      next_check_at: sql`now() + (1 + random()) * ${checkInS} * interval '1 second'`,
    })
    .where(
      and(
        eq(grants.authenticator_id, domainId),
        sql`${grants.next_check_at} <= now()`,
        sql`${hasFailedTooLong} is not true`,
      ),
    );
}

/** Ends the sessions of a grant, and the grant. */
export const endGrant = (h: Db, claimed: Claim): Statement[] => [
  mustBeClaimed(h, claimed),
  h
    .delete(loginSessions)
    .where(
      inArray(
        loginSessions.id,
        h.select({ id: sessions.session_id }).from(sessions).where(eq(sessions.grant_id, claimed.id)),
      ),
    ),
  h.delete(grants).where(eq(grants.id, claimed.id)),
];

/** Removes a grant whose domain is not checked any more. Its sessions stay. */
export async function dropGrant(db: Db, { id, claim }: Claim): Promise<void> {
  await db.delete(grants).where(and(eq(grants.id, id), eq(grants.claim, claim)));
}
