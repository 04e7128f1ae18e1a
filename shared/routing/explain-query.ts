import { z } from 'zod';
import { findPerson } from '../../db/repositories/sites/user-sites.ts';
import { scopeOf } from '../context/rights.ts';
import { AppError, notFound } from '../kernel/errors.ts';
import { Flag, Id } from '../shapes/fields.ts';
import type { UserCtx, Viewer } from '../sites/user-site.ts';
import type { RoutedSite } from './routed-site.ts';

export type ExplainQuery = { explain?: boolean | undefined; user_id?: string | undefined };

/** Query parameters of an operation that can explain its decisions. */
export const explainQuery = {
  explain: Flag.optional().describe(
    'If true, the response contains `explain`. Requires the permission `rules.explain`.',
  ),
  user_id: Id.optional().describe(
    'Identifier of the user to explain the decisions for, instead of the caller. Dispatchers are not called. Only with `explain`.',
  ),
};

/** Predicate for `refine`: `user_id` requires `explain`. */
export const isExplainQueryValid = ({ explain, user_id }: ExplainQuery): boolean =>
  explain === true || user_id === undefined;
export const userIdWithoutExplain = { path: ['user_id'], message: 'Allowed only with explain=true' };

/** Why a member of a rule has its place in the order, or why it is excluded. */
export const Explanation = z.strictObject({
  rule_id: Id.describe('Identifier of the rule.'),
  step: z
    .string()
    .describe(
      'Stage of the decision: `rule`, `member`, `site`, `farm`, `entitlement`, `pool`, `node`, `affinity`, `fullness`, `priority_group`, `policy`, `failover` or `call` (the dispatcher was called).',
    ),
  farm_id: Id.describe('Identifier of the farm of the member.'),
  servicepool_uuid: Id.describe('Identifier of the pool of the member.'),
  outcome: z
    .enum(['chosen', 'candidate', 'excluded', 'passed_over', 'final'])
    .describe(
      '`chosen`: tried first; `candidate`: tried if an earlier member cannot be used; `excluded`: not tried, or refused the user; `passed_over`: tried, and the next member was tried because of `reason`; `final`: tried, and `reason` is the answer.',
    ),
  reason: z
    .string()
    .describe(
      'Stable word for the cause, such as `live_session`, `farm_maintenance`, `circuit_open` or `no_free_workplace`.',
    ),
});

/** Several open sessions of the caller on one rule. The portal does not end any of them. */
export const Conflict = z
  .array(
    z.strictObject({
      session_uuid: Id.describe('Identifier of the session, assigned by the dispatcher.'),
      farm_id: Id.describe('Identifier of the farm of the session.'),
      servicepool_uuid: Id.describe('Identifier of the pool of the session.'),
      state: z.string().describe('State of the session: `active` or `disconnected`.'),
    }),
  )
  .describe(
    'Open sessions of the caller on this rule, if there are several. The portal does not end any of them.',
  );

/**
 * Resolves the user of the site: the caller, or another user. Another user requires the permission `rules.explain`.
 * @returns undefined for the caller
 * @throws AppError `forbidden` without the permission, `not_found` for a user that does not exist
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
 * Checks that the scope of the permission contains the site.
 * @throws AppError `forbidden` for the caller's own site; `not_found` for the site of another user, so that the
 *   response does not reveal that the site exists
 */
export function assertExplains(ctx: UserCtx, site: RoutedSite, { explain }: ExplainQuery): void {
  if (!explain || mayExplain(ctx, site)) return;
  throw site.own ? mayNotExplain() : notFound();
}

/** True if the caller has the permission `rules.explain` at the site. */
export function mayExplain({ principal }: Pick<UserCtx, 'principal'>, { id }: { id: string }): boolean {
  const scope = scopeOf(principal, 'rules.explain');
  return scope === '*' || scope?.includes(id) === true;
}

const mayNotExplain = (): AppError =>
  new AppError('forbidden', 'No role of the caller permits this explanation', {
    required_permission: 'rules.explain',
  });
