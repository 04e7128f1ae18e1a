import { and, eq, isNull, ne, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { Db, Statement } from '../../client.ts';
import { gatewayTickets } from '../../schema/gateways/tickets.ts';
import { authenticators } from '../../schema/identity/authenticators.ts';
import { loginChallenges } from '../../schema/identity/login-challenges.ts';
import { loginSessions } from '../../schema/identity/login-sessions.ts';
import { pkinitChallenges } from '../../schema/identity/pkinit-challenges.ts';
import { programGrants } from '../../schema/identity/providers/program-grants.ts';
import { providerLogins } from '../../schema/identity/providers/sessions.ts';
import { roles, userRoles } from '../../schema/identity/roles.ts';
import { serviceTokens } from '../../schema/identity/service-tokens.ts';
import { users } from '../../schema/identity/users.ts';
import { endNodeKeys } from '../routing/ended-node-keys.ts';

/** The users whose access ends, as a select of their ids, and a session of theirs that stays. */
type Whose = { users: SQL; except?: string | undefined };

const hasRights = (userId: SQLWrapper): SQL =>
  sql`exists (select from ${userRoles} join ${roles} on ${roles.id} = ${userRoles.role_id}
    where ${userRoles.user_id} = ${userId} and cardinality(${roles.permissions}) > 0)`;

/**
 * The credentials of people that the portal stores, and how each ends. Page tokens, codes of programs and ID tokens end with the
 * session that they belong to.
 */
const kinds = {
  sessions: (h, { users: whose, except }) =>
    h
      .delete(loginSessions)
      .where(
        and(
          sql`${loginSessions.user_id} in (${whose})`,
          except === undefined ? undefined : ne(loginSessions.id, except),
        ),
      ),
  own_tokens: (h, { users: whose }) =>
    h.delete(serviceTokens).where(and(sql`${serviceTokens.user_id} in (${whose})`, serviceTokens.own)),
  /** Own tokens of people whose roles grant nothing any more. */
  own_tokens_without_rights: (h, { users: whose }) =>
    h
      .delete(serviceTokens)
      .where(
        and(
          sql`${serviceTokens.user_id} in (${whose})`,
          serviceTokens.own,
          sql`not ${hasRights(serviceTokens.user_id)}`,
        ),
      ),
  service_tokens: (h, { users: whose }) =>
    h.delete(serviceTokens).where(sql`${serviceTokens.user_id} in (${whose})`),
  gateway_tickets: (h, { users: whose }) =>
    h
      .delete(gatewayTickets)
      .where(and(sql`${gatewayTickets.user_id} in (${whose})`, isNull(gatewayTickets.used_at))),
  challenges: (h, { users: whose }) =>
    h.delete(loginChallenges).where(sql`${loginChallenges.user_id} in (${whose})`),
  node_keys: (h, { users: whose }) => endNodeKeys(h, whose),
} as const satisfies Record<string, (h: Db, whose: Whose) => Statement>;

export type CredentialKind = keyof typeof kinds;

/** Which credentials end by which cause. Other places name the cause, and never the credentials. */
export const endedBy = {
  /** The person has a new password. The session of the change stays. */
  password_change: ['sessions', 'own_tokens', 'gateway_tickets', 'challenges', 'node_keys'],
  /** An administrator has set a password. */
  password_reset: ['sessions', 'own_tokens', 'gateway_tickets', 'challenges', 'node_keys'],
  second_factor_reset: ['sessions', 'own_tokens', 'gateway_tickets', 'challenges'],
  /** The user or the domain is disabled. The deletion of a row takes the same with it. */
  disabling: ['sessions', 'service_tokens', 'gateway_tickets', 'challenges', 'node_keys'],
  /** The domain has another provider. */
  other_authority: ['sessions', 'own_tokens', 'gateway_tickets', 'challenges', 'node_keys'],
  /** A provider has ended a session, or no longer vouches for the person. Its sessions are ended by their identifiers. */
  provider_log_out: ['gateway_tickets', 'challenges', 'node_keys'],
  /** An administrator has taken a role away. Rights of sessions fall at their next request. */
  role_removed: ['own_tokens_without_rights', 'node_keys'],
  /** The installation does not allow own tokens any more. */
  own_tokens_off: ['own_tokens'],
} as const satisfies Record<string, readonly CredentialKind[]>;

export type Cause = keyof typeof endedBy;

/** @param keeps kinds that the person has asked to keep */
export const endCredentials = (
  h: Db,
  cause: Cause,
  whose: Whose,
  keeps: readonly CredentialKind[] = [],
): Statement[] =>
  (endedBy[cause] as readonly CredentialKind[])
    .filter((kind) => !keeps.includes(kind))
    .map((kind) => kinds[kind](h, whose));

export const theUser = (id: string): SQL => sql`select ${id}::uuid`;

const usersOf = (domainId: string): SQL =>
  sql`select ${users.id} from ${users} where ${users.authenticator_id} = ${domainId}::uuid`;

/** Ends all access of a user who is disabled; cached keys of dispatcher nodes are then logged out by a job. */
export const revokeAccessOfUser = (h: Db, userId: string): Statement[] => [
  h.update(users).set({ access_ended_at: endedNow }).where(eq(users.id, userId)),
  ...endCredentials(h, 'disabling', { users: theUser(userId) }),
];

/** Ends all access of the users of a disabled domain, including users who have no row yet. */
export const revokeAccessOfDomain = (h: Db, domainId: string): Statement[] => [
  ...revokePending(h, domainId),
  ...endCredentials(h, 'disabling', { users: usersOf(domainId) }),
];

/** Ends what the former provider of a domain has vouched for. Tokens that administrators made for services stay. */
export const revokeVouchedAccess = (h: Db, domainId: string): Statement[] => [
  ...revokePending(h, domainId),
  ...endCredentials(h, 'other_authority', { users: usersOf(domainId) }),
];

/** `clock_timestamp()` is later than any write committed before this transaction locked the row; `now()` is not. */
const endedNow = sql`clock_timestamp()`;

/** Logins of the domain that began before, also those of users who have no row yet. */
const revokePending = (h: Db, domainId: string): Statement[] => [
  h.update(authenticators).set({ access_ended_at: endedNow }).where(eq(authenticators.id, domainId)),
  h.delete(pkinitChallenges).where(eq(pkinitChallenges.authenticator_id, domainId)),
  h.delete(providerLogins).where(eq(providerLogins.authenticator_id, domainId)),
  h.delete(programGrants).where(eq(programGrants.authenticator_id, domainId)),
];

/** Ends the own tokens of everybody, when the installation does not allow them any more. */
export const revokeOwnTokens = (h: Db): Statement[] =>
  endCredentials(h, 'own_tokens_off', { users: sql`select ${users.id} from ${users}` });
