import { and, eq, gt, inArray, lte, type SQL, sql } from 'drizzle-orm';
import type { Db, Statement } from '../../../client.ts';
import { authenticators } from '../../../schema/identity/authenticators.ts';
import { loginSessions } from '../../../schema/identity/login-sessions.ts';
import { programGrants as grants } from '../../../schema/identity/providers/program-grants.ts';
import { providerSessions } from '../../../schema/identity/providers/sessions.ts';
import { users } from '../../../schema/identity/users.ts';
import { must } from '../../records/statements.ts';
import { mayAct, rolesOf } from './sessions.ts';

export type ProgramGrant = typeof grants.$inferSelect;
type NewGrant = typeof grants.$inferInsert;

/** Number of expired rows removed per insert: enough to keep the table small, without a noticeable delay. */
const sweptAtOnce = 100;

/** Devices that can wait for a person at the same time: of one network, behind which a whole office can be, and of one domain. */
const mostWaiting = { network: 200, domain: 5_000 };

/** Stores a grant, and removes some expired ones. */
export function addGrant(h: Db, grant: NewGrant, now: Date): Statement[] {
  const expired = h
    .select({ id: grants.id })
    .from(grants)
    .where(lte(grants.kept_until, now))
    .limit(sweptAtOnce)
    .for('update', { skipLocked: true });
  return [h.delete(grants).where(inArray(grants.id, expired)), h.insert(grants).values(grant)];
}

type Place = { domainId: string; network: string };

/** Fails the batch with `rate_limited` if too many devices of the network or of the domain wait. */
export const mustHaveFewWaiting = (h: Db, { domainId, network }: Place, now: Date): Statement =>
  must(
    h,
    sql`(select count(*) < ${mostWaiting.domain}
        and count(*) filter (where ${grants.source_ip}::inet <<= ${network}::inet) < ${mostWaiting.network}
      from ${grants} where ${and(
        eq(grants.authenticator_id, domainId),
        eq(grants.kind, 'device'),
        isOpen('waiting', now),
      )})`,
    'rate_limited',
  );

/** Returns the device that shows a user code, if it still waits. */
export async function findWaitingDevice(db: Db, userCodeHash: string, now: Date) {
  const [row] = await db
    .select()
    .from(grants)
    .where(and(eq(grants.user_code_hash, userCodeHash), isOpen('waiting', now)));
  return row;
}

/** Stores the decision about a waiting device. Fails the batch with `login_expired` if it does not wait any more. */
export const decideDevice = (
  h: Db,
  id: string,
  decision: { state: 'allowed' | 'denied'; allowed_by: string | null },
  now: Date,
): Statement[] => [
  must(
    h,
    sql`(select ${grants.id} from ${grants} where ${and(eq(grants.id, id), isOpen('waiting', now))} for update) is not null`,
    'login_expired',
  ),
  h.update(grants).set(decision).where(eq(grants.id, id)),
];

/** Returns the grant of a code, with the account of the session that it has opened. */
export async function findGrant(db: Db, kind: ProgramGrant['kind'], codeHash: string) {
  const [row] = await db
    .select({ grant: grants, user: { id: users.id, name: users.name }, domain: authenticators.small_name })
    .from(grants)
    .innerJoin(authenticators, eq(authenticators.id, grants.authenticator_id))
    .leftJoin(loginSessions, eq(loginSessions.id, grants.session_id))
    .leftJoin(users, eq(users.id, loginSessions.user_id))
    .where(and(eq(grants.kind, kind), eq(grants.code_hash, codeHash)));
  return row;
}

/** Notes that a device has asked, and how long it must wait until it asks again. */
export async function noteDevicePoll(db: Db, id: string, intervalS: number, now: Date): Promise<void> {
  await db.update(grants).set({ polled_at: now, interval_s: intervalS }).where(eq(grants.id, id));
}

/** Uses a grant up. @returns false if it is not allowed any more */
export async function useGrant(db: Db, id: string, now: Date): Promise<boolean> {
  const used = await db
    .update(grants)
    .set({ state: 'used' })
    .where(and(eq(grants.id, id), isOpen('allowed', now)))
    .returning({ id: grants.id });
  return used.length > 0;
}

/** Revokes a grant that was used twice, and ends the session that it has opened. */
export const revokeGrant = (h: Db, id: string): Statement[] => [
  h.update(grants).set({ state: 'revoked' }).where(eq(grants.id, id)),
  h
    .delete(loginSessions)
    .where(
      inArray(loginSessions.id, h.select({ id: grants.session_id }).from(grants).where(eq(grants.id, id))),
    ),
];

/** Returns the person who has allowed a grant. Undefined if their browser session has ended or they are disabled. */
export async function findGrantor(db: Db, id: string) {
  const [row] = await db
    .select({ session: loginSessions, user: users, domain: authenticators, roles: rolesOf(users.id) })
    .from(grants)
    .innerJoin(loginSessions, eq(loginSessions.id, grants.allowed_by))
    .innerJoin(users, eq(users.id, loginSessions.user_id))
    .innerJoin(authenticators, eq(authenticators.id, users.authenticator_id))
    .where(and(eq(grants.id, id), eq(users.authenticator_id, grants.authenticator_id), mayAct));
  return row;
}

/** Fails the batch with `login_expired` if the grant was revoked, or the browser session of the person has ended. */
export const mustBeGranted = (h: Db, id: string, sessionId: string): Statement[] => [
  must(
    h,
    sql`(select ${grants.id} from ${grants} where ${and(eq(grants.id, id), eq(grants.state, 'used'))} for update) is not null`,
    'login_expired',
  ),
  must(
    h,
    sql`(select ${providerSessions.session_id} from ${providerSessions} where ${providerSessions.session_id} = ${sessionId} for share) is not null`,
    'login_expired',
  ),
];

/**
 * Ties the session of a program to its grant and to the session at the provider, so that a logout there ends it. The ID
 * token is sealed for the browser session and is not copied.
 */
export const bindSession = (h: Db, id: string, from: string, sessionId: string): Statement[] => [
  h.insert(providerSessions).select(
    h
      .select({
        session_id: sql<string>`${sessionId}::uuid`.as('session_id'),
        authenticator_id: providerSessions.authenticator_id,
        issuer: providerSessions.issuer,
        sub: providerSessions.sub,
        sid: providerSessions.sid,
        sealed_id_token: sql<null>`null::text`.as('sealed_id_token'),
        authenticated_at: sql<null>`null::timestamptz`.as('authenticated_at'),
        grant_id: providerSessions.grant_id,
      })
      .from(providerSessions)
      .where(eq(providerSessions.session_id, from)),
  ),
  h.update(grants).set({ session_id: sessionId }).where(eq(grants.id, id)),
];

const isOpen = (state: ProgramGrant['state'], now: Date): SQL | undefined =>
  and(eq(grants.state, state), gt(grants.expires_at, now));
