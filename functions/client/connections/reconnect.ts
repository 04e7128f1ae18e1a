import { AppError, notFound } from '../../../shared/kernel/errors.ts';
import { refusalReasonOf } from '../../../shared/remotes/dispatcher/refusals.ts';
import { fanOut, type Outcome } from '../../../shared/sites/calls/fan-out.ts';
import { callFarm } from '../../../shared/sites/calls/farm-calls.ts';
import { isPossible } from '../../../shared/sites/dispatcher-domains.ts';
import { assertAllowedLink } from '../../../shared/sites/link-schemes.ts';
import { loadUserSite, type UserCtx } from '../../../shared/sites/user-site.ts';

/**
 * Returns a new link to an open session. The farm of the session is not stored, so all farms are called; a farm without
 * the session changes nothing.
 * @throws AppError `not_found`, `upstream_*`; `not_known_here` if all farms refuse the user; `upstream_failed` for a link that clients must not open
 */
export async function renewLink(ctx: UserCtx, siteUri: string, sessionUuid: string) {
  const site = await loadUserSite(ctx, siteUri);
  const { principal } = site;
  const farms = site.farms.filter((farm) => farm.enabled && isPossible(ctx, farm, ctx.principal));
  const outcomes = await fanOut(farms, ctx.parameters['aggregator.call_timeout_ms'], (farm, signal) =>
    callFarm(ctx, { site, farm, principal, signal, retry: 'unsent' }, (call) =>
      ctx.deps.dispatchers.reconnect(call, sessionUuid),
    ),
  );
  for (const [at, outcome] of outcomes.entries()) {
    const farm = farms[at];
    if (!outcome.ok || !farm) continue;
    assertAllowedLink(ctx, outcome.value, farm);
    return { ...outcome.value, session_uuid: sessionUuid, farm_id: farm.id };
  }
  throw worstOf(outcomes) ?? notFound();
}

/**
 * The error of a failed farm has precedence, because that farm may have the session. A farm that refuses the user says
 * nothing about the session, so `not_found` of another farm has precedence over it.
 */
function worstOf(outcomes: readonly Outcome<unknown>[]): unknown {
  const errors = outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome.error]));
  const isNotFound = (error: unknown) => error instanceof AppError && error.code === 'not_found';
  const isRefusal = (error: unknown) => refusalReasonOf(error) !== undefined;
  return (
    errors.find((error) => !isNotFound(error) && !isRefusal(error)) ?? errors.find(isNotFound) ?? errors[0]
  );
}
