import type { Db, Statement } from '../../db/client.ts';
import { raisedByMust } from '../../db/errors.ts';
import {
  type AffectedRoles,
  type GrantedPermissions,
  isSkippingChanged,
  lacking,
  mustCover,
  mustNotChangeSkipping,
  type SkipChange,
} from '../../db/repositories/records/privileges.ts';
import { AppError } from '../kernel/errors.ts';
import type { BaseDeps, Ctx } from './context.ts';
import { type Permission, permissions } from './permissions.ts';
import type { SignedIn } from './principal.ts';
import { permissionsOf, scopeOf } from './rights.ts';

/** Returns the rights of the principal in the form that the database compares. */
export const heldBy = (principal: SignedIn): GrantedPermissions =>
  Object.fromEntries(
    permissionsOf(principal).map((permission) => [permission, scopeOf(principal, permission) ?? []]),
  );

/** Members of `Extras` of record writes that check privileges. */
type Power = {
  /** Statements that check the conditions in the batch of the change. */
  before: (h: Db) => Statement[];
  /** Runs the batch. If a condition fails, the error lists the missing permissions. */
  explained: <T>(batch: () => Promise<T>) => Promise<T>;
};

/** Permissions that the principal does not hold for all sites. */
const lackedBy = (principal: SignedIn): Permission[] =>
  permissions.filter((permission) => scopeOf(principal, permission) !== '*');

export const maySkip = ({ principal }: Ctx<BaseDeps, SignedIn>): boolean => lackedBy(principal).length === 0;

type Reason =
  | '`skip_two_factor` requires every permission for all sites'
  | 'Moving the people of an issuer requires every permission for all sites';

/**
 * Requires every permission for all sites, for a change whose effect on the rights of people cannot be limited to some of them.
 * @throws AppError `forbidden`
 */
function assertHoldsAll({ principal }: Ctx<BaseDeps, SignedIn>, reason: Reason): void {
  const missing = lackedBy(principal).sort();
  if (missing.length > 0) throw new AppError('forbidden', reason, { missing });
}

/** For a change that exempts users from the second factor. @throws AppError `forbidden` */
export const assertMaySkip = (ctx: Ctx<BaseDeps, SignedIn>): void =>
  assertHoldsAll(ctx, '`skip_two_factor` requires every permission for all sites');

/** For a change of the issuer that vouches for people. @throws AppError `forbidden` */
export const assertMayMovePeople = (ctx: Ctx<BaseDeps, SignedIn>): void =>
  assertHoldsAll(ctx, 'Moving the people of an issuer requires every permission for all sites');

/**
 * Requires that the principal holds every right that the change affects. The check runs in the batch of the change. A
 * change that concerns groups that waive the second factor requires every permission for all sites.
 */
export function powerOver(
  ctx: Ctx<BaseDeps, SignedIn>,
  stakes: readonly AffectedRoles[],
  skips: readonly SkipChange[] = [],
): Power {
  const held = heldBy(ctx.principal);
  const lacked = lackedBy(ctx.principal);
  const checked = lacked.length === 0 ? [] : skips;
  return {
    before: (h) => [
      ...stakes.map((stake) => mustCover(h, held, stake)),
      ...checked.map((change) => mustNotChangeSkipping(h, change)),
    ],
    explained: async (work) => {
      try {
        return await work();
      } catch (error) {
        if (raisedByMust(error)?.reason !== 'privilege') throw error;
        const { db } = ctx.deps;
        const missing = await Promise.all([
          ...stakes.map((stake) => lacking(db, held, stake)),
          ...checked.map(async (change) => ((await isSkippingChanged(db, change)) ? lacked : [])),
        ]);
        throw new AppError(
          'forbidden',
          'The caller lacks permissions that the change affects',
          { missing: [...new Set(missing.flat())].sort() },
          { cause: error },
        );
      }
    },
  };
}
