import type { Db } from '../../db/client.ts';
import { findPageSession } from '../../db/repositories/identity/login/page-tokens.ts';
import { findPeerSession, touchPeerSession } from '../../db/repositories/identity/login/peer-sessions.ts';
import { findSession, touchSession } from '../../db/repositories/identity/login/sessions.ts';
import { findServiceToken, touchServiceToken } from '../../db/repositories/identity/service-tokens.ts';
import type { Scope } from '../../db/repositories/records/scope.ts';
import { isForProvisioning } from '../context/permissions.ts';
import { isServed, type Portal, portalFor } from '../context/portal.ts';
import type {
  PeerPrincipal,
  RoleGrant,
  ServiceTokenPrincipal,
  Session,
  TokenPrincipal,
  UserPrincipal,
} from '../context/principal.ts';
import { addSeconds } from '../kernel/clock.ts';
import { sha256 } from '../kernel/crypto/digests.ts';
import { type Parameters, parametersFrom } from '../kernel/system-parameters.ts';
import type { PortalType } from '../modules.ts';
import { isPageToken, isPeerToken, isServiceToken } from './service-tokens.ts';

/** Tokens have 43 or 48 characters. Much longer ones are not looked up. */
const longestToken = 128;

/** The principal of a token, and the system parameters that the same statement has read. */
export type FoundPrincipal<P extends TokenPrincipal = TokenPrincipal> = {
  principal: P;
  parameters: Parameters;
};

/**
 * Finds the principal of a token. One round trip.
 * @returns undefined for a token that is unknown, revoked, expired or idle for too long
 */
export async function findPrincipal(
  db: Db,
  token: string,
  now: Date,
  portalType: PortalType,
): Promise<FoundPrincipal | undefined> {
  if (token.length > longestToken) return undefined;
  if (isServiceToken(token)) return findService(db, token, now, portalType);
  return isPeerToken(token) ? findPeer(db, token, now, portalType) : findUser(db, token, now);
}

/** True if the stored time of the last use is at least a minute old. It is written at most once a minute. */
export const isUseStale = (principal: TokenPrincipal, now: Date): boolean => {
  const { lastSeenAt } = principal.kind === 'service_token' ? principal.token : principal.session;
  return now.getTime() - lastSeenAt.getTime() >= 60_000;
};

/** Stores the time of the last use of the token. */
export function noteUse(db: Db, { principal, parameters }: FoundPrincipal, now: Date): Promise<void> {
  const idleUntil = addSeconds(now, parameters['session.idle_s']);
  switch (principal.kind) {
    case 'user':
      return touchSession(db, principal.session.id, now, idleUntil);
    case 'service_token':
      return touchServiceToken(db, principal.token.id, now);
    case 'peer':
      return touchPeerSession(db, principal.session.id, now, idleUntil);
  }
}

/** Maximum age of a session of this portal in seconds. */
export const absoluteAge = (parameters: Parameters, portal: Portal): number =>
  parameters[portal === 'admin' ? 'session.admin_absolute_s' : 'session.user_absolute_s'];

async function findUser(db: Db, token: string, now: Date): Promise<FoundPrincipal | undefined> {
  const hash = sha256(token);
  const found = await (isPageToken(token) ? findPageSession(db, hash, now) : findSession(db, hash));
  return found && withParameters(found, (parameters) => userPrincipal(found, parameters, now));
}

const withParameters = (
  { parameters: overrides }: { parameters: Record<string, unknown> | null },
  principalBy: (parameters: Parameters) => TokenPrincipal | undefined,
): FoundPrincipal | undefined => {
  const parameters = parametersFrom(overrides);
  const principal = principalBy(parameters);
  return principal && { principal, parameters };
};

export type UserRow = Pick<UserPrincipal, 'user' | 'domain' | 'roles'> & {
  session: SessionTimes & Pick<UserPrincipal, 'locale'>;
};

/** @returns undefined if the session has expired */
export function userPrincipal(
  { session: row, user, domain, roles }: UserRow,
  parameters: Parameters,
  now: Date,
): UserPrincipal | undefined {
  const { portal, locale } = row;
  const session = aliveSession(row, parameters, now);
  return session && { kind: 'user', session, locale, portal, user, domain, roles };
}

type SessionTimes = {
  id: string;
  portal: Portal;
  created_at: Date;
  last_seen_at: Date;
  idle_until: Date | null;
};

/** @returns the session with its expiry times, or undefined if it has expired */
function aliveSession(
  { id, portal, created_at: createdAt, last_seen_at: lastSeenAt, idle_until: idleUntil }: SessionTimes,
  parameters: Parameters,
  now: Date,
): Session | undefined {
  const expiresAt = addSeconds(createdAt, absoluteAge(parameters, portal));
  const byParameter = addSeconds(lastSeenAt, parameters['session.idle_s']);
  // The stored expiry time applies if the parameter is increased: an expired session must never become valid again.
  const idleExpiresAt = idleUntil && idleUntil < byParameter ? idleUntil : byParameter;
  if (now >= expiresAt || now >= idleExpiresAt) return undefined;
  return { id, createdAt, lastSeenAt, expiresAt, idleExpiresAt };
}

async function findPeer(
  db: Db,
  token: string,
  now: Date,
  portalType: PortalType,
): Promise<FoundPrincipal | undefined> {
  const found = await findPeerSession(db, sha256(token));
  return found && withParameters(found, (parameters) => peerPrincipal(found, parameters, now, portalType));
}

export type PeerRow = Pick<PeerPrincipal, 'peer' | 'roles'> & { session: Omit<SessionTimes, 'portal'> };

/** @returns undefined if the session has expired, or the portal does not serve the peer */
export function peerPrincipal(
  { session: row, peer, roles }: PeerRow,
  parameters: Parameters,
  now: Date,
  portalType: PortalType,
): PeerPrincipal | undefined {
  const portal = portalFor(portalType, roles.length > 0);
  const session = portal && aliveSession({ ...row, portal }, parameters, now);
  return session && { kind: 'peer', session, portal, peer, roles };
}

async function findService(
  db: Db,
  secret: string,
  now: Date,
  portalType: PortalType,
): Promise<FoundPrincipal | undefined> {
  const found = await findServiceToken(db, sha256(secret), now);
  return found && withParameters(found, () => servicePrincipal(found, portalType));
}

export type ServiceRow = Pick<ServiceTokenPrincipal, 'user' | 'domain' | 'roles'> & {
  token: Bounds & {
    id: string;
    name: string;
    created_at: Date;
    expires_at: Date;
    last_seen_at: Date | null;
    own: boolean;
  };
  subjects: 'all' | 'users' | 'staff';
};

/**
 * A service token has no login. Its portal, and whether its domain serves the user, are determined at each use. A token for
 * provisioning is valid on every portal, because only operations of SCIM accept it.
 */
export function servicePrincipal(
  { token, user, domain, subjects, roles }: ServiceRow,
  portalType: PortalType,
): ServiceTokenPrincipal | undefined {
  const isStaff = roles.length > 0;
  const provisions = isForProvisioning(token.permissions);
  const portal = provisions ? 'admin' : portalFor(portalType, isStaff);
  if (portal === undefined || (!provisions && !isServed(subjects, isStaff))) return undefined;
  const { id, name, created_at: createdAt, expires_at: expiresAt } = token;
  return {
    kind: 'service_token',
    token: { id, name, createdAt, lastSeenAt: token.last_seen_at ?? new Date(0), expiresAt, provisions },
    portal,
    // A service user has no password.
    user: { ...user, mustChangePassword: token.own && user.mustChangePassword },
    domain,
    roles: narrowed(roles, token),
  };
}

type Bounds = { permissions: readonly string[]; scopes: Readonly<Record<string, Scope>> };

/**
 * Limits the current roles of the user to the permissions of the token. Each permission is limited to the sites for
 * which the creator of the token held it. Roles without a remaining permission are removed, because they would
 * otherwise still contribute their scope.
 */
const narrowed = (roles: readonly RoleGrant[], { permissions, scopes }: Bounds): RoleGrant[] =>
  roles.flatMap(({ permissions: held, scope, ...role }) => {
    const parts = new Map<string, RoleGrant>();
    for (const permission of held.filter((one) => permissions.includes(one))) {
      const sites = common(scope.sites, scopes[permission] ?? []);
      const key = String(sites);
      const part = parts.get(key) ?? { ...role, permissions: [], scope: { sites } };
      part.permissions.push(permission);
      if (sites.length > 0) parts.set(key, part);
    }
    return [...parts.values()];
  });

function common(role: Scope, maker: Scope): '*' | string[] {
  if (maker === '*') return role === '*' ? '*' : [...role];
  return role === '*' ? [...maker] : role.filter((site) => maker.includes(site));
}
