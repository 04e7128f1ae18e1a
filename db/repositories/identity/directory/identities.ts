import { and, eq, inArray, isNotNull, or, type SQL, sql } from 'drizzle-orm';
import { alias, type PgColumn } from 'drizzle-orm/pg-core';
import type { Db, Statement } from '../../../client.ts';
import { authenticators } from '../../../schema/identity/authenticators.ts';
import { loginSessions } from '../../../schema/identity/login-sessions.ts';
import { userRoles } from '../../../schema/identity/roles.ts';
import { users } from '../../../schema/identity/users.ts';
import { ruleUsers } from '../../../schema/routing/rules.ts';
import { priorityGroupUsers } from '../../../schema/sites/priority-groups.ts';
import { siteUsers } from '../../../schema/sites/sites.ts';
import { must } from '../../records/statements.ts';
import { type AliveSince, isAlive } from '../login/user-sessions.ts';

/** Numbers of the people at an issuer, of those who have roles, and of the live sessions of all of them. */
export type IssuerCount = { issuer: string; people: number; with_roles: number; sessions: number };

/** Counts the people of a domain by issuer, in its order. Rows without an issuer match at the present one, and count there. */
export async function countByIssuer(
  db: Db,
  { domainId, present }: { domainId: string; present: string },
  since: AliveSince,
): Promise<IssuerCount[]> {
  const ofDomain = and(eq(users.authenticator_id, domainId), isNotNull(users.directory_id));
  const alive = db
    .select({ user_id: loginSessions.user_id, number: sql<number>`count(*)`.as('number') })
    .from(loginSessions)
    .innerJoin(users, eq(users.id, loginSessions.user_id))
    .where(and(ofDomain, isAlive(since)))
    .groupBy(loginSessions.user_id)
    .as('alive');
  return db
    .select({
      issuer: sql<string>`coalesce(nullif(${users.directory_authority}, ''), ${present}::text)`,
      people: sql<number>`count(*)::int`,
      with_roles: sql<number>`(count(*) filter (where ${users.id} in (select ${userRoles.user_id} from ${userRoles})))::int`,
      sessions: sql<number>`coalesce(sum(${alive.number}), 0)::int`,
    })
    .from(users)
    .leftJoin(alive, eq(alive.user_id, users.id))
    .where(ofDomain)
    .groupBy(sql`1`)
    .orderBy(sql`1`);
}

/** A move of the people of a domain from a former issuer to the present one. */
export type Move = { domainId: string; from: string; to: string };

/**
 * `people`: number of those who move. A user of the present issuer with the identifier of one of them is `in_use`, or `unused` if
 * it never signed in, has no roles, and is not named by a rule, site or priority group.
 */
export type MovePlan = { people: number; in_use: number; unused: number };

const others = alias(users, 'other');

const movesBy = ({ domainId, from }: Move): SQL | undefined =>
  and(
    eq(users.authenticator_id, domainId),
    isNotNull(users.directory_id),
    eq(users.directory_authority, from),
  );

/** Rows without an issuer match at the present one. */
const isOther = ({ to }: Move): SQL | undefined =>
  and(
    eq(others.authenticator_id, users.authenticator_id),
    eq(others.directory_id, users.directory_id),
    inArray(others.directory_authority, ['', to]),
  );

const refersTo = (column: PgColumn): SQL =>
  sql`exists(select 1 from ${column.table} where ${column} = ${others.id})`;

const isInUse = or(
  isNotNull(others.last_login_at),
  ...[userRoles.user_id, ruleUsers.user_id, siteUsers.user_id, priorityGroupUsers.user_id].map(refersTo),
) as SQL;

/** @returns the plan, and whether the person with this identifier is among those who move */
export async function planMove(
  db: Db,
  move: Move,
  subject: string,
): Promise<MovePlan & { has_person: boolean }> {
  const [row] = await db
    .select({
      people: sql<number>`(count(distinct ${users.id}))::int`,
      in_use: sql<number>`(count(*) filter (where ${others.id} is not null and ${isInUse}))::int`,
      unused: sql<number>`(count(*) filter (where ${others.id} is not null and not ${isInUse}))::int`,
      has_person: sql<boolean>`coalesce(bool_or(${users.directory_id} = ${subject}), false)`,
    })
    .from(users)
    .leftJoin(others, isOther(move))
    .where(movesBy(move));
  return row ?? { people: 0, in_use: 0, unused: 0, has_person: false };
}

/**
 * Moves the people of an issuer to the present one, and deletes the unused users with their identifiers. Fails the batch with
 * the reason `contested` unless the plan still applies. The lock of the domain stops the creation of users meanwhile.
 */
export function moveIdentities(h: Db, move: Move, { people, unused }: MovePlan): Statement[] {
  const present = sql`(select ${authenticators.params} ->> 'issuer' from ${authenticators} where ${authenticators.id} = ${move.domainId} for update)`;
  const moving = sql`(select count(*) from (select 1 from ${users} where ${movesBy(move)} for update) as locked)`;
  const sameIdentifiers = sql`(select ${others.id} from ${users} join ${users} as other on ${isOther(move)} where ${movesBy(move)})`;
  const unusedOnes = sql`(select ${others.id} from ${users} as other where ${others.id} in ${sameIdentifiers} and not ${isInUse})`;
  return [
    must(h, sql`${present} = ${move.to}`, contested),
    must(h, sql`${moving} = ${people}`, contested),
    must(h, sql`(select count(*) from ${unusedOnes} as unused) = ${unused}`, contested),
    h.delete(users).where(sql`${users.id} in ${unusedOnes}`),
    must(h, sql`not exists${sameIdentifiers}`, contested),
    h.update(users).set({ directory_authority: move.to }).where(movesBy(move)),
  ];
}

const contested = 'invalid_state:contested';
