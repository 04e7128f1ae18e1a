import { and, eq, isNull, type SQL, sql } from 'drizzle-orm';
import type { Db, Statement } from '../../client.ts';
import { gatewayTickets } from '../../schema/gateways/tickets.ts';
import { authenticators } from '../../schema/identity/authenticators.ts';
import { loginChallenges } from '../../schema/identity/login-challenges.ts';
import { loginSessions } from '../../schema/identity/login-sessions.ts';
import { pkinitChallenges } from '../../schema/identity/pkinit-challenges.ts';
import { programGrants } from '../../schema/identity/providers/program-grants.ts';
import { providerLogins } from '../../schema/identity/providers/sessions.ts';
import { serviceTokens } from '../../schema/identity/service-tokens.ts';
import { users } from '../../schema/identity/users.ts';
import { endNodeKeys } from '../routing/ended-node-keys.ts';

/**
 * Ends all access of a user: login sessions with their page tokens, service tokens, unused gateway tickets, one-time
 * codes, pending logins, and cached keys of dispatcher nodes, which a job then logs out.
 */
export const revokeAccessOfUser = (h: Db, userId: string): Statement[] => [
  h.update(users).set({ access_ended_at: endedNow }).where(eq(users.id, userId)),
  ...endAccess(h, sql`select ${userId}::uuid`),
];

/** Ends all access of the users of a domain, including users who have no row yet. */
export const revokeAccessOfDomain = (h: Db, domainId: string): Statement[] => [
  ...revokePending(h, domainId),
  ...endAccess(h, usersOf(domainId)),
];

const usersOf = (domainId: string): SQL =>
  sql`select ${users.id} from ${users} where ${users.authenticator_id} = ${domainId}::uuid`;

/** Logins of the domain that began before, also those of users who have no row yet. */
const revokePending = (h: Db, domainId: string): Statement[] => [
  h.update(authenticators).set({ access_ended_at: endedNow }).where(eq(authenticators.id, domainId)),
  h.delete(pkinitChallenges).where(eq(pkinitChallenges.authenticator_id, domainId)),
  h.delete(providerLogins).where(eq(providerLogins.authenticator_id, domainId)),
  h.delete(programGrants).where(eq(programGrants.authenticator_id, domainId)),
];

/**
 * Ends what the former provider or directory of a domain has vouched for: all access but the tokens that administrators made for
 * services.
 */
export const revokeVouchedAccess = (h: Db, domainId: string): Statement[] => [
  ...revokePending(h, domainId),
  ...endAccess(h, usersOf(domainId), eq(serviceTokens.own, true)),
];

/** `clock_timestamp()` is later than any write committed before this transaction locked the row; `now()` is not. */
const endedNow = sql`clock_timestamp()`;

/**
 * @param whose a select of user ids
 * @param tokens the service tokens that end; default: all
 */
const endAccess = (h: Db, whose: SQL, tokens?: SQL): Statement[] => [
  h.delete(loginSessions).where(sql`${loginSessions.user_id} in (${whose})`),
  h.delete(serviceTokens).where(and(sql`${serviceTokens.user_id} in (${whose})`, tokens)),
  h
    .delete(gatewayTickets)
    .where(and(sql`${gatewayTickets.user_id} in (${whose})`, isNull(gatewayTickets.used_at))),
  h.delete(loginChallenges).where(sql`${loginChallenges.user_id} in (${whose})`),
  endNodeKeys(h, whose),
];
