import type { Scope } from '../../db/repositories/records/scope.ts';
import type { Permission } from '../context/permissions.ts';
import type { Principal, SignedIn } from '../context/principal.ts';
import { scopeOf } from '../context/rights.ts';
import { AppError, conflict } from '../kernel/errors.ts';
import type { Detail } from '../messages/message.ts';

/** The callers of an operation: all, all who are signed in, or the holders of a permission. */
export type Access = 'public' | 'signed-in' | Permission;

export type Demand = {
  access: Access;
  /** Rows belong to sites, so a narrow scope may write those within it. */
  sited?: boolean | undefined;
  /** Rows of all sites are mixed: even reading needs the scope `*`. */
  allSites?: boolean | undefined;
  /** The operation writes: without sites, that needs the scope `*`. */
  writes: boolean;
  /** Works also while the user must change the password. */
  duringPasswordChange?: boolean | undefined;
  /** Needs no more than a session, and serves peer aggregators too, which have no user account. */
  forPeers?: boolean | undefined;
  /** Belongs to a login, so that service tokens are refused. */
  needsLogin?: boolean | undefined;
};

/**
 * Decides, before anything of the request is read, whether the principal may use the operation.
 * @returns the sites whose rows the operation may touch
 * @throws AppError `unauthenticated`, `password_change_required`, `forbidden`; `invalid_state` for a service token
 */
export function admit(principal: Principal, demand: Demand): Scope {
  if (demand.access === 'public') return '*';
  switch (principal.kind) {
    case 'user':
      if (principal.user.mustChangePassword && !demand.duringPasswordChange)
        throw new AppError('password_change_required');
      return admitGranted(principal, demand.access, demand);
    case 'service_token':
      if (demand.needsLogin)
        throw conflict('service_token', 'A login session is required; service tokens are not accepted');
      return admitGranted(principal, demand.access, demand);
    case 'peer':
      if (demand.access === 'signed-in' && !demand.forPeers)
        throw new AppError('forbidden', 'A user account is required; peer aggregators do not have one');
      return admitGranted(principal, demand.access, demand);
    case 'operator':
      if (demand.needsLogin || demand.access === 'signed-in')
        throw new AppError('forbidden', 'A user account is required; operators do not have one');
      return admitGranted(principal, demand.access, demand);
    // Machines prove themselves to public operations of their own; jobs do not call operations.
    case 'agent':
    case 'gateway':
    case 'portal':
    case 'job':
    case 'anonymous':
      throw new AppError('unauthenticated');
  }
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
