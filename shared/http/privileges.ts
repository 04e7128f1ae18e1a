import type { Db, Statement } from '../../db/client.ts';
import { raisedByMust } from '../../db/errors.ts';
import { type Held, lacking, mustCover, type Stake } from '../../db/repositories/privileges.ts';
import { permissionsOf, type SignedIn, scopeOf } from '../access/actor.ts';
import { AppError } from '../kernel/errors.ts';
import type { BaseDeps, Ctx } from './context.ts';

/** The actor's rights in the form that the database compares. */
export const heldBy = (actor: SignedIn): Held =>
  Object.fromEntries(
    permissionsOf(actor).map((permission) => [permission, scopeOf(actor, permission) ?? []]),
  );

type Power = {
  /** The conditions, for the batch of the change. */
  before: (h: Db) => Statement[];
  /** Runs the change; a refusal then names the missing permissions. */
  explained<T>(work: () => Promise<T>): Promise<T>;
};

/** The rule that the actor must hold every right at stake, checked inside the batch that needs it. */
export function powerOver(ctx: Ctx<BaseDeps, SignedIn>, stakes: readonly Stake[]): Power {
  const held = heldBy(ctx.actor);
  return {
    before: (h) => stakes.map((stake) => mustCover(h, held, stake)),
    explained: async (work) => {
      try {
        return await work();
      } catch (error) {
        if (raisedByMust(error)?.reason !== 'privilege') throw error;
        const missing = await Promise.all(stakes.map((stake) => lacking(ctx.deps.db, held, stake)));
        throw new AppError(
          'forbidden',
          'The caller lacks permissions that are at stake',
          { missing: [...new Set(missing.flat())].sort() },
          { cause: error },
        );
      }
    },
  };
}
