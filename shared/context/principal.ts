import { AppError } from '../kernel/errors.ts';
import type { Portal } from './portal.ts';

export type RoleGrant = { id: string; name: string; permissions: string[]; scope: { sites: '*' | string[] } };

/** A stored login, of a user or of a peer; it ends at the earlier of its two ends. */
export type Session = {
  id: string;
  createdAt: Date;
  lastSeenAt: Date;
  expiresAt: Date;
  idleExpiresAt: Date;
};

type Account = {
  user: { id: string; name: string; realName: string; language: string | null; mustChangePassword: boolean };
  domain: { id: string; name: string; label: string; twoFactor: boolean };
};

/** Roles count on the administrator portal only; see `grantsOf`. */
type Granted = { portal: Portal; roles: RoleGrant[] };

/** A person who signed in. */
export type UserPrincipal = Account &
  Granted & {
    kind: 'user';
    session: Session;
    /** The language tag that the login asked for (RFC 5646). */
    locale: string | null;
  };

/** A token that an administrator made for a service user. It has no session: it lives until it expires or is revoked. */
export type ServiceTokenPrincipal = Account &
  Granted & {
    kind: 'service_token';
    token: { id: string; name: string; createdAt: Date; lastSeenAt: Date; expiresAt: Date };
  };

/** Another aggregator portal, by the session that its signed token was exchanged for. It has no user account. */
export type PeerPrincipal = Granted & {
  kind: 'peer';
  session: Session;
  peer: { id: string; name: string; issuer: string };
};

/** A command that an operator of the server runs on its database. It has no account and no session. */
export type OperatorPrincipal = Granted & {
  kind: 'operator';
  /** How the audit names it. */
  name: 'system:apply';
  /** Account of the operating system, and the machine. */
  operator: string;
  host: string;
};

/** The agent of a workplace, the agent within a workplace session, or a machine that holds a registration token. */
export type AgentPrincipal = { kind: 'agent'; role: 'workplace' | 'session' | 'registration'; id: string };

export type GatewayPrincipal = { kind: 'gateway'; id: string };

/** A portal that reports itself by a signed token: one of this installation, or one of a peer. */
export type PortalPrincipal = {
  kind: 'portal';
  peer: { id: string; name: string } | undefined;
};

/** A job of the sidecar. */
export type JobPrincipal = { kind: 'job'; name: 'maintenance' | 'snapshot' };

export type Anonymous = { kind: 'anonymous' };

/** A principal that acts for a user account. */
export type AccountPrincipal = UserPrincipal | ServiceTokenPrincipal;
/** A principal that a presented token stands for. */
export type TokenPrincipal = AccountPrincipal | PeerPrincipal;
/** A principal that holds roles. */
export type SignedIn = TokenPrincipal | OperatorPrincipal;
/** The caller of an operation, or the job that does the work. */
export type Principal =
  | SignedIn
  | AgentPrincipal
  | GatewayPrincipal
  | PortalPrincipal
  | JobPrincipal
  | Anonymous;

export const anonymous: Anonymous = { kind: 'anonymous' };

export function isSignedIn(principal: Principal): principal is SignedIn {
  switch (principal.kind) {
    case 'user':
    case 'service_token':
    case 'peer':
    case 'operator':
      return true;
    case 'agent':
    case 'gateway':
    case 'portal':
    case 'job':
    case 'anonymous':
      return false;
  }
}

/**
 * What rows refer to: a user account or a peer. A service token is the account that it acts for.
 * @throws AppError `forbidden` for an operator, to which no row can refer
 */
export function ownerOf(principal: SignedIn): { kind: 'user' | 'peer'; id: string; name: string } {
  switch (principal.kind) {
    case 'user':
    case 'service_token':
      return { kind: 'user', id: principal.user.id, name: principal.user.name };
    case 'peer':
      return { kind: 'peer', id: principal.peer.id, name: principal.peer.name };
    case 'operator':
      throw new AppError('forbidden', 'A user account or a peer aggregator is required');
  }
}

/** The user account that a principal acts for, as queries take it; undefined for a peer and an operator. */
export const accountOf = (principal: SignedIn): { userId: string; domainId: string } | undefined =>
  principal.kind === 'user' || principal.kind === 'service_token'
    ? { userId: principal.user.id, domainId: principal.domain.id }
    : undefined;

/** The stored row that the presented token names, a session or a service token; the name of an operator. */
export function credentialId(principal: SignedIn): string {
  if (principal.kind === 'operator') return principal.name;
  return principal.kind === 'service_token' ? principal.token.id : principal.session.id;
}
