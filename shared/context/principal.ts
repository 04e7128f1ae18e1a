import { AppError } from '../kernel/errors.ts';
import type { Portal } from './portal.ts';

export type RoleGrant = { id: string; name: string; permissions: string[]; scope: { sites: '*' | string[] } };

/** A stored login session of a user or peer. It ends at `expiresAt` or `idleExpiresAt`, whichever comes first. */
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

/** Roles apply only on the administrator portal; see `grantsOf`. */
type Granted = { portal: Portal; roles: RoleGrant[] };

/** A user with a login session. */
export type UserPrincipal = Account &
  Granted & {
    kind: 'user';
    session: Session;
    /** The language tag that the login requested (RFC 5646). */
    locale: string | null;
  };

/**
 * A token that an administrator created for a service user, or a user for the own account. It has no session and is valid
 * until it expires or is revoked.
 */
export type ServiceTokenPrincipal = Account &
  Granted & {
    kind: 'service_token';
    /** `provisions`: a token of an identity provider, which is valid for SCIM in the domain of its user and for nothing else. */
    token: {
      id: string;
      name: string;
      createdAt: Date;
      lastSeenAt: Date;
      expiresAt: Date;
      provisions: boolean;
    };
  };

/** Another aggregator portal. Its signed token was exchanged for a session. It does not have a user account. */
export type PeerPrincipal = Granted & {
  kind: 'peer';
  session: Session;
  peer: { id: string; name: string; issuer: string };
};

/** A command that an operator of the server runs on the database. It has neither an account nor a session. */
export type OperatorPrincipal = Granted & {
  kind: 'operator';
  /** Name in the audit log. */
  name: 'system:apply';
  /** Account of the operating system. `host` is the machine. */
  operator: string;
  host: string;
};

/** The agent of a workplace, the agent in a workplace session, or a machine with a registration token. */
export type AgentPrincipal = { kind: 'agent'; role: 'workplace' | 'session' | 'registration'; id: string };

export type GatewayPrincipal = { kind: 'gateway'; id: string };

/** A portal that sends heartbeats with a signed token: a portal of this installation or of a peer. */
export type PortalPrincipal = {
  kind: 'portal';
  peer: { id: string; name: string } | undefined;
};

/** A job of the sidecar. */
export type JobPrincipal = { kind: 'job'; name: 'maintenance' | 'provider checks' | 'snapshot' | 'webhooks' };

export type Anonymous = { kind: 'anonymous' };

/** A principal that acts for a user account. */
export type AccountPrincipal = UserPrincipal | ServiceTokenPrincipal;
/** A principal that authenticates with a token. */
export type TokenPrincipal = AccountPrincipal | PeerPrincipal;
/** A principal that holds roles. */
export type SignedIn = TokenPrincipal | OperatorPrincipal;
/** The caller of an operation, or the job that runs. */
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
 * Returns the owner that rows refer to: a user account or a peer. A service token acts for its user account.
 * @throws AppError `forbidden` for an operator, because rows cannot refer to it
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

/**
 * Returns the user account that a principal acts for, in the form that queries use. Undefined for a peer or an
 * operator.
 */
export const accountOf = (principal: SignedIn): { userId: string; domainId: string } | undefined =>
  principal.kind === 'user' || principal.kind === 'service_token'
    ? { userId: principal.user.id, domainId: principal.domain.id }
    : undefined;

/** Returns the id of the stored session or service token, or the name of an operator. */
export function credentialId(principal: SignedIn): string {
  if (principal.kind === 'operator') return principal.name;
  return principal.kind === 'service_token' ? principal.token.id : principal.session.id;
}
