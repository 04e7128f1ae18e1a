import type { Scope } from '../../db/repositories/scope.ts';
import { AppError } from '../kernel/errors.ts';
import { type Actor, scopeOf } from './actor.ts';
import type { Permission } from './permissions.ts';

/** Who may use an operation: anybody, whoever is signed in, or who holds a permission. */
export type Access = 'public' | 'signed-in' | Permission;

export type Demand = {
  access: Access;
  /** Rows belong to sites, so a narrow scope may write those within it. */
  sited?: boolean | undefined;
  /** Rows of all sites are mixed: even reading needs the scope `*`. */
  allSites?: boolean | undefined;
  /** The operation writes: without sites, that needs the scope `*`. */
  writes: boolean;
  /** Works also while the user must change his password. */
  duringPasswordChange?: boolean | undefined;
  /** Asks for no more than a session, and is there for peer aggregators too, who are no users. */
  forPeers?: boolean | undefined;
};

/**
 * Decides, before anything of the request is read, whether the actor may use the operation.
 * @returns the sites whose rows the operation may touch
 * @throws AppError `unauthenticated`, `password_change_required`, `forbidden`
 */
export function admit(actor: Actor, demand: Demand): Scope {
  if (demand.access === 'public') return '*';
  if (actor.kind === 'anonymous') throw new AppError('unauthenticated');
  if (actor.user.mustChangePassword && !demand.duringPasswordChange)
    throw new AppError('password_change_required');
  if (demand.access === 'signed-in' && actor.isPeer && !demand.forPeers)
    throw new AppError('forbidden', 'This is for users, and a peer aggregator is none');
  if (demand.access === 'signed-in') return '*';
  const scope = scopeOf(actor, demand.access);
  if (scope === undefined) throw refused(demand.access, 'No role of the caller gives this permission');
  if (scope !== '*' && (demand.allSites || (demand.writes && !demand.sited)))
    throw refused(demand.access, 'This needs the permission for all sites');
  return scope;
}

const refused = (required_permission: Permission, detail: string): AppError =>
  new AppError('forbidden', detail, { required_permission });
