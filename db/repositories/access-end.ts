import { and, isNull, type SQL, sql } from 'drizzle-orm';
import type { Db, Statement } from '../client.ts';
import { gatewayTickets } from '../schema/gateway-tickets.ts';
import { loginChallenges } from '../schema/login-challenges.ts';
import { loginSessions } from '../schema/login-sessions.ts';
import { serviceTokens } from '../schema/service-tokens.ts';
import { users } from '../schema/users.ts';

/**
 * Ends everything that lets users act: sessions with their page tokens, service tokens, gateway tickets that were not used,
 * and one-time codes.
 */
export const endAccessOfUser = (h: Db, userId: string): Statement[] =>
  endAccess(h, sql`select ${userId}::uuid`);

/** The same for all users of a domain. */
export const endAccessOfDomain = (h: Db, domainId: string): Statement[] =>
  endAccess(h, sql`select ${users.id} from ${users} where ${users.authenticator_id} = ${domainId}::uuid`);

/** @param whose a select of user ids */
const endAccess = (h: Db, whose: SQL): Statement[] => [
  h.delete(loginSessions).where(sql`${loginSessions.user_id} in (${whose})`),
  h.delete(serviceTokens).where(sql`${serviceTokens.user_id} in (${whose})`),
  h
    .delete(gatewayTickets)
    .where(and(sql`${gatewayTickets.user_id} in (${whose})`, isNull(gatewayTickets.used_at))),
  h.delete(loginChallenges).where(sql`${loginChallenges.user_id} in (${whose})`),
];
