import type { Scope } from '../../db/repositories/records/scope.ts';
import { type Permission, provisioning } from '../context/permissions.ts';
import type { AccountPrincipal, Principal, SignedIn } from '../context/principal.ts';
import { scopeOf } from '../context/rights.ts';
import { AppError, conflict } from '../kernel/errors.ts';
import type { Detail } from '../messages/message.ts';

/** Allowed callers of an operation: all, all with a session, or the holders of a permission. */
export type Access = 'public' | 'signed-in' | Permission;

export type Demand = {
  access: Access;
  /** Rows belong to sites, so a caller with a limited scope can write rows within it. */
  sited?: boolean | undefined;
  /** Rows of all sites are mixed, so even a read requires the scope `*`. */
  allSites?: boolean | undefined;
  /** The operation writes. Without `sited`, this requires the scope `*`. */
  writes: boolean;
  /** The operation is available while the user must change the password. */
  duringPasswordChange?: boolean | undefined;
  /** The operation requires only a session, and also serves peer aggregators, which do not have a user account. */
  forPeers?: boolean | undefined;
  /** The operation concerns a login session, so service tokens are rejected. */
  needsLogin?: boolean | undefined;
};

/**
 * Checks, before the request is read, whether the principal may use the operation.
 * @returns the sites whose rows the operation can access
 * @throws AppError `unauthenticated`, `password_change_required`, `forbidden`; `invalid_state` for a service token
 */
export function admit(principal: Principal, demand: Demand): Scope {
  if (demand.access === 'public') return '*';
  switch (principal.kind) {
    case 'user':
      return admitAccount(principal, demand.access, demand);
    case 'service_token':
      if (demand.needsLogin)
        throw conflict('service_token', 'A login session is required; service tokens are not accepted');
      return admitAccount(principal, demand.access, demand);
    case 'peer':
      assertPurpose(principal, demand.access);
      if (demand.access === 'signed-in' && !demand.forPeers)
        throw new AppError('forbidden', 'A user account is required; peer aggregators do not have one');
      return admitGranted(principal, demand.access, demand);
    case 'operator':
      assertPurpose(principal, demand.access);
      if (demand.needsLogin || demand.access === 'signed-in')
        throw new AppError('forbidden', 'A user account is required; operators do not have one');
      return admitGranted(principal, demand.access, demand);
    // Machines authenticate at public operations of their own. Jobs do not call operations.
    case 'agent':
    case 'gateway':
    case 'portal':
    case 'job':
    case 'anonymous':
      throw new AppError('unauthenticated');
  }
}

function admitAccount(principal: AccountPrincipal, access: 'signed-in' | Permission, demand: Demand): Scope {
  assertPurpose(principal, access);
  if (principal.user.mustChangePassword && !demand.duringPasswordChange)
    throw new AppError('password_change_required');
  return admitGranted(principal, access, demand);
}

/** A token for provisioning is valid for SCIM alone, and SCIM accepts no other token. */
function assertPurpose(principal: SignedIn, access: 'signed-in' | Permission): void {
  const provisions = principal.kind === 'service_token' && principal.token.provisions;
  if (provisions && access !== provisioning)
    throw new AppError('forbidden', 'A token for provisioning is valid for SCIM only');
  if (!provisions && access === provisioning)
    throw refused(access, 'SCIM requires a service token with the permission `scim.provision` alone');
}

function admitGranted(principal: SignedIn, access: 'signed-in' | Permission, demand: Demand): Scope {
  if (access === 'signed-in') return '*';
  const scope = scopeOf(principal, access);
  if (scope === undefined) throw refused(access, 'No role of the caller grants this permission');
  if (scope !== '*' && (demand.allSites || (demand.writes && !demand.sited)))
    throw refused(access, 'The permission is required for all sites');
  return scope;
}

const refused = (required_permission: Permission, detail: Detail): AppError =>
  new AppError('forbidden', detail, { required_permission });
