import type { Scope } from '../../db/repositories/scope.ts';
import { conflict } from '../kernel/errors.ts';
import type { Parameters } from '../kernel/system-parameters.ts';
import { isPermission, type Permission, permissions } from './permissions.ts';

export type RoleGrant = { id: string; name: string; permissions: string[]; scope: { sites: '*' | string[] } };

/** Who asks, read once a request: the session, its user, and what the user may do now. */
export type SignedIn = {
  kind: 'user';
  /** The name of the service token that takes the place of a login; `session` then tells of the token. */
  serviceToken?: string;
  /** A peer aggregator: `user` then is the peer, and the label of its `domain` the issuer that it signs as. */
  isPeer?: true;
  session: {
    id: string;
    portal: 'admin' | 'user';
    createdAt: Date;
    lastSeenAt: Date;
    expiresAt: Date;
    idleExpiresAt: Date;
  };
  user: { id: string; name: string; realName: string; language: string | null; mustChangePassword: boolean };
  domain: { id: string; name: string; label: string; twoFactor: boolean };
  roles: RoleGrant[];
  parameters: Parameters;
};
export type Anonymous = { kind: 'anonymous' };
export type Actor = SignedIn | Anonymous;

export const anonymous: Anonymous = { kind: 'anonymous' };

/** Roles count on the administrator portal only: a session on the user portal has the rights of a user. */
export const grantsOf = (actor: SignedIn): RoleGrant[] =>
  actor.session.portal === 'admin' ? actor.roles : [];

/**
 * @throws AppError `invalid_state` for a service token: passwords, sessions and their ends belong to a login. Peers
 * never come here: the guard keeps them away from what belongs to users.
 */
export function assertLoggedIn({ serviceToken }: SignedIn): void {
  if (serviceToken !== undefined)
    throw conflict('service_token', 'This is for whoever logged in, not for a service token');
}

/**
 * The sites within which the actor holds the permission: the union over his roles.
 * @returns undefined when no role gives it
 */
export function scopeOf(actor: SignedIn, permission: Permission): Scope | undefined {
  const scopes = grantsOf(actor)
    .filter((role) => role.permissions.includes(permission))
    .map((role) => role.scope.sites);
  if (scopes.length === 0) return undefined;
  return scopes.includes('*') ? '*' : [...new Set(scopes.flatMap((sites) => (sites === '*' ? [] : sites)))];
}

/** The permissions that the actor holds in any scope, in the order of the list. */
export const permissionsOf = (actor: SignedIn): Permission[] =>
  permissions.filter((permission) => grantsOf(actor).some((role) => role.permissions.includes(permission)));

/** The union of all scopes of the actor. */
export function widestScope(actor: SignedIn): Scope {
  const scopes = grantsOf(actor).map((role) => role.scope.sites);
  return scopes.includes('*') ? '*' : [...new Set(scopes.flatMap((sites) => (sites === '*' ? [] : sites)))];
}

/**
 * What the actor lacks to hand out, or to overpower somebody with, these roles: each permission must be held in a
 * scope that contains the role's.
 */
export function missingFor(
  actor: SignedIn,
  roles: readonly Pick<RoleGrant, 'permissions' | 'scope'>[],
): Permission[] {
  const lacks = roles.flatMap((role) =>
    role.permissions
      .filter(isPermission)
      .filter((permission) => !covers(scopeOf(actor, permission), role.scope.sites)),
  );
  return [...new Set(lacks)].sort();
}

function covers(own: Scope | undefined, asked: '*' | readonly string[]): boolean {
  if (own === undefined) return false;
  if (own === '*') return true;
  return asked !== '*' && asked.every((site) => own.includes(site));
}
