import { z } from 'zod';
import { findPerson } from '../../db/repositories/user-sites.ts';
import { scopeOf } from '../access/rights.ts';
import { Flag, Id } from '../http/fields.ts';
import { AppError, notFound } from '../kernel/errors.ts';
import type { RoutedSite } from './routed-site.ts';
import type { UserCtx, Viewer } from './user-site.ts';

export type ExplainQuery = { explain?: boolean | undefined; user_id?: string | undefined };

/** Members of the query of an operation that can explain itself. */
export const explainQuery = {
  explain: Flag.optional().meta({ description: 'Adds `explain`; needs `rules.explain`' }),
  user_id: Id.optional().meta({
    description: 'With `explain`: for this user, by what is known; no dispatcher is asked in his name',
  }),
};

/** For `refine` of such a query. */
export const explainsWhom = ({ explain, user_id }: ExplainQuery): boolean =>
  explain === true || user_id === undefined;
export const explainsNobody = { path: ['user_id'], message: 'Goes with explain=true only' };

/** Why a member of a rule is where it is, or is none. */
export const Explanation = z.strictObject({
  rule_id: Id,
  step: z.string(),
  farm_id: Id,
  servicepool_uuid: Id,
  outcome: z.enum(['chosen', 'candidate', 'excluded']),
  reason: z.string(),
});

/** Several live sessions of the caller where a rule means one; none of them is ended here. */
export const Conflict = z.array(
  z.strictObject({ session_uuid: Id, farm_id: Id, servicepool_uuid: Id, state: z.string() }),
);

/**
 * Whose site the caller asks for: his own, or with `rules.explain` that of another user.
 * @returns undefined for his own
 * @throws AppError `forbidden` without the right, `not_found` for a user that does not exist
 */
export async function viewerFor(ctx: UserCtx, query: ExplainQuery): Promise<Viewer | undefined> {
  if (!query.explain) return undefined;
  if (scopeOf(ctx.principal, 'rules.explain') === undefined) throw mayNotExplain();
  if (query.user_id === undefined || query.user_id === ctx.principal.user.id) return undefined;
  const found = await findPerson(ctx.deps.db, query.user_id);
  if (!found) throw notFound();
  return found;
}

/**
 * A right for some sites explains those only.
 * @throws AppError `forbidden`, and for a site of somebody else, of which it is not told that there is one, `not_found`
 */
export function assertExplains(ctx: UserCtx, site: RoutedSite, { explain }: ExplainQuery): void {
  const scope = explain ? scopeOf(ctx.principal, 'rules.explain') : '*';
  if (scope === '*' || scope?.includes(site.id)) return;
  throw site.own ? mayNotExplain() : notFound();
}

const mayNotExplain = (): AppError =>
  new AppError('forbidden', 'No role of the caller lets him explain this', {
    required_permission: 'rules.explain',
  });
