import { and, isNull, type SQL, sql } from 'drizzle-orm';
import type { Db, Statement } from '../client.ts';
import { gatewayTickets } from '../schema/gateway-tickets.ts';
import { loginChallenges } from '../schema/login-challenges.ts';
import { loginSessions } from '../schema/login-sessions.ts';
import { serviceTokens } from '../schema/service-tokens.ts';

/**
 * Ends everything that lets users act: sessions with their page tokens, service tokens, gateway tickets that were not used,
 * and one-time codes. Node keys expire at once, so that the next sweep logs them out.
 * @param users a select of user ids
 */
export const endAccess = (h: Db, users: SQL): Statement[] => [
  h.delete(loginSessions).where(sql`${loginSessions.user_id} in (${users})`),
  h.delete(serviceTokens).where(sql`${serviceTokens.user_id} in (${users})`),
  h
    .delete(gatewayTickets)
    .where(and(sql`${gatewayTickets.user_id} in (${users})`, isNull(gatewayTickets.used_at))),
  h.delete(loginChallenges).where(sql`${loginChallenges.user_id} in (${users})`),
];
