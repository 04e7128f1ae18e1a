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
/** Grants of one domain that are checked in one round, so that a slow provider delays the others little. */
const mostOfDomain = 4;
const mostOfRound = 32;

export type ClaimedGrant = Awaited<ReturnType<typeof claimGrants>>[number];

/** Claims the grants whose check is due, the oldest first. Grants without a session are deleted instead. */
export async function claimGrants(db: Db, claim: string) {
  const due = sql`select id from (
    select ${grants.id} as id, ${grants.next_check_at} as due_at, row_number() over (partition by ${grants.authenticator_id} order by ${grants.next_check_at}) as place
    from ${grants} where ${grants.next_check_at} <= now()) as ranked where place <= ${mostOfDomain} order by due_at limit ${mostOfRound}`;
  const isDue = and(inArray(grants.id, sql`(${due})`), sql`${grants.next_check_at} <= now()`);
  await db
    .delete(grants)
    .where(and(isDue, sql`not exists(select from ${sessions} where ${sessions.grant_id} = ${grants.id})`));
  await db
    .update(grants)
    .set({ claim, next_check_at: after(claimS) })
    .where(isDue);
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
      uncheckedS: sql<number>`extract(epoch from now() - ${grants.checked_at})::float8`,
    })
    .from(grants)
    .innerJoin(authenticators, eq(authenticators.id, grants.authenticator_id))
    .innerJoin(users, eq(users.id, grants.user_id))
    .where(eq(grants.claim, claim));
}

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
      next_check_at: after(next.checkInS),
    })
    .where(eq(grants.id, claimed.id)),
];

/** Repeats a check later that had no result. */
export async function postponeCheck(db: Db, { id, claim }: Claim, checkInS: number): Promise<void> {
  await db
    .update(grants)
    .set({ claim: null, next_check_at: after(checkInS) })
    .where(and(eq(grants.id, id), eq(grants.claim, claim)));
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
