import type { Db } from '../../db/client.ts';
import { findSession, touchSession } from '../../db/repositories/login-sessions.ts';
import { findPageSession } from '../../db/repositories/page-tokens.ts';
import { findPeerSession, touchPeerSession } from '../../db/repositories/peer-sessions.ts';
import type { Scope } from '../../db/repositories/scope.ts';
import { findServiceToken, touchServiceToken } from '../../db/repositories/service-tokens.ts';
import { addSeconds } from '../kernel/clock.ts';
import { sha256 } from '../kernel/digests.ts';
import { noId } from '../kernel/ids.ts';
import { type Parameters, parametersFrom } from '../kernel/system-parameters.ts';
import type { PortalType } from '../modules.ts';
import type { RoleGrant, SignedIn } from './actor.ts';
import { isServed, type Portal, portalFor } from './portal.ts';
import { isPageToken, isPeerToken, isServiceToken } from './service-tokens.ts';

/** Tokens of ours are 43 or 48 characters; anything much longer is not looked up. */
const longestToken = 128;

/**
 * Who a token speaks for now; one round trip.
 * @returns undefined for a token that is unknown, ended, expired or idle for too long
 */
export async function findActor(
  db: Db,
  token: string,
  now: Date,
  portalType: PortalType,
): Promise<SignedIn | undefined> {
  if (token.length > longestToken) return undefined;
  if (isServiceToken(token)) return findService(db, token, now, portalType);
  return isPeerToken(token) ? findPeer(db, token, now, portalType) : findLoggedIn(db, token, now);
}

/** Writes that the token of the actor was used, at most once a minute. */
export function noteUse(
  db: Db,
  { session, serviceToken, isPeer, parameters }: SignedIn,
  now: Date,
): Promise<void> {
  const idleUntil = addSeconds(now, parameters['session.idle_s']);
  if (isPeer) return touchPeerSession(db, session.id, now, idleUntil);
  return serviceToken === undefined
    ? touchSession(db, session.id, now, idleUntil)
    : touchServiceToken(db, session.id, now);
}

/** Seconds after which a session of this portal ends whatever it does. */
export const absoluteAge = (parameters: Parameters, portal: 'admin' | 'user'): number =>
  parameters[portal === 'admin' ? 'session.admin_absolute_s' : 'session.user_absolute_s'];

async function findLoggedIn(db: Db, token: string, now: Date): Promise<SignedIn | undefined> {
  const hash = sha256(token);
  const found = await (isPageToken(token) ? findPageSession(db, hash, now) : findSession(db, hash));
  if (!found) return undefined;
  const { session, user, domain, roles } = found;
  const parameters = parametersFrom(found.parameters);
  const alive = aliveSession(session, parameters, now);
  return alive && { kind: 'user', session: alive, user, domain, roles, parameters };
}

type Stored = {
  id: string;
  portal: Portal;
  created_at: Date;
  last_seen_at: Date;
  idle_until: Date | null;
};

/** @returns the session with its ends, or undefined when one of them has come */
function aliveSession(
  { id, portal, created_at: createdAt, last_seen_at: lastSeenAt, idle_until: idleUntil }: Stored,
  parameters: Parameters,
  now: Date,
): SignedIn['session'] | undefined {
  const expiresAt = addSeconds(createdAt, absoluteAge(parameters, portal));
  const byParameter = addSeconds(lastSeenAt, parameters['session.idle_s']);
  // The stored end stands when the parameter is raised: a session that has ended never comes back.
  const idleExpiresAt = idleUntil && idleUntil < byParameter ? idleUntil : byParameter;
  if (now >= expiresAt || now >= idleExpiresAt) return undefined;
  return { id, portal, createdAt, lastSeenAt, expiresAt, idleExpiresAt };
}

/** Like a login, but for the user: there is none. */
async function findPeer(
  db: Db,
  token: string,
  now: Date,
  portalType: PortalType,
): Promise<SignedIn | undefined> {
  const found = await findPeerSession(db, sha256(token));
  if (!found) return undefined;
  const { peer, roles } = found;
  const portal = portalFor(portalType, roles.length > 0);
  const parameters = parametersFrom(found.parameters);
  const session = portal && aliveSession({ ...found.session, portal }, parameters, now);
  if (!session) return undefined;
  return {
    kind: 'user',
    isPeer: true,
    session,
    user: { id: peer.id, name: peer.name, realName: '', language: null, mustChangePassword: false },
    domain: { id: noId, name: peer.issuer, label: peer.issuer, twoFactor: false },
    roles,
    parameters,
  };
}

/** A service never logs in, so what a login decides (which portal, whether the domain serves him) is decided here. */
async function findService(
  db: Db,
  secret: string,
  now: Date,
  portalType: PortalType,
): Promise<SignedIn | undefined> {
  const found = await findServiceToken(db, sha256(secret), now);
  if (!found) return undefined;
  const { token, user, domain, roles, subjects } = found;
  const isStaff = roles.length > 0;
  const portal = portalFor(portalType, isStaff);
  if (portal === undefined || !isServed(subjects, isStaff)) return undefined;
  const { id, created_at: createdAt, expires_at: expiresAt } = token;
  const lastSeenAt = token.last_seen_at ?? new Date(0);
  return {
    kind: 'user',
    serviceToken: token.name,
    session: { id, portal, createdAt, lastSeenAt, expiresAt, idleExpiresAt: expiresAt },
    // He has no password that he could be asked to change.
    user: { ...user, mustChangePassword: false },
    domain,
    roles: narrowed(roles, token),
    parameters: parametersFrom(found.parameters),
  };
}

type Bounds = { permissions: readonly string[]; scopes: Readonly<Record<string, Scope>> };

/**
 * What the user's roles give today, as far as the token takes it: its permissions, each within the sites for which its
 * maker held it. A role of which nothing is left would still lend its scope.
 */
export const narrowed = (roles: readonly RoleGrant[], { permissions, scopes }: Bounds): RoleGrant[] =>
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
