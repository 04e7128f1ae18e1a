import type { z } from 'zod';
import { ageServiceList } from '../../../db/repositories/routing/service-lists.ts';
import { findFleetObjects } from '../../../db/repositories/snapshot/objects.ts';
import { endingAction } from '../../../shared/agents/session-ending.ts';
import type { ClientCtx } from '../../../shared/context/context.ts';
import type { AccountPrincipal } from '../../../shared/context/principal.ts';
import { addSeconds } from '../../../shared/kernel/clock.ts';
import { notFound } from '../../../shared/kernel/errors.ts';
import { refusalReasonOf } from '../../../shared/remotes/dispatcher/refusals.ts';
import { act, isGone, kinds, type Target } from '../../../shared/sites/calls/actions.ts';
import { fanOut } from '../../../shared/sites/calls/fan-out.ts';
import { callFarm } from '../../../shared/sites/calls/farm-calls.ts';
import { isPossible } from '../../../shared/sites/dispatcher-domains.ts';
import { loadUserSite, type UserFarm, type UserSite } from '../../../shared/sites/user-site.ts';
import type { ClientDeps } from '../deps.ts';
import type { SessionEnd } from './schema.ts';

type SessionCtx = ClientCtx<ClientDeps, AccountPrincipal>;

/**
 * Ends a workplace session of the caller. The dispatcher must list the session among those of the caller now. The order
 * is then sent once, with the key of the portal: nodes accept it from administrators and from the portal only.
 * @param farmId default: the farm that lists the session
 * @throws AppError `not_found` also for a session of another user, `invalid_state`, `upstream_*`
 */
export async function endOwnSession(
  ctx: SessionCtx,
  siteUri: string,
  uuid: string,
  farmId: string | undefined,
): Promise<z.input<typeof SessionEnd>> {
  const site = await loadUserSite(ctx, siteUri);
  const farms = site.farms.filter(
    (farm) => farm.enabled && (farmId ?? farm.id) === farm.id && isPossible(ctx, farm, ctx.principal),
  );
  const farm = await farmOfSession(ctx, site, farms, uuid);
  const target = await targetOf(ctx, site, farm, uuid);
  const result = await end(ctx, target);
  return { result, session_uuid: uuid, farm_id: farm.id };
}

/**
 * @throws AppError `not_found`; the error of a farm that did not respond, because it may have the session. A farm that
 *   refuses the user has no session that the user can end
 */
async function farmOfSession(
  ctx: SessionCtx,
  site: UserSite,
  farms: readonly UserFarm[],
  uuid: string,
): Promise<UserFarm> {
  const { principal } = site;
  const outcomes = await fanOut(farms, ctx.parameters['aggregator.call_timeout_ms'], (farm, signal) =>
    callFarm(ctx, { site, farm, principal, signal }, (call) => ctx.deps.dispatchers.services(call)),
  );
  const listing = outcomes.findIndex(
    (outcome) =>
      outcome.ok &&
      outcome.value.some(({ sessions }) =>
        sessions.some(({ session_uuid }) => session_uuid.toLowerCase() === uuid),
      ),
  );
  const farm = farms[listing];
  if (farm) return farm;
  const errors = outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome.error]));
  throw errors.find((error) => refusalReasonOf(error) === undefined) ?? notFound();
}

/** The session as in the snapshot. A session that began after the last synchronization has only its user. */
async function targetOf(ctx: SessionCtx, site: UserSite, farm: UserFarm, uuid: string): Promise<Target> {
  const kind = kinds.session;
  const [known] = await findFleetObjects(ctx.deps.db, kind.spec, { uuid, farmId: farm.id }, ctx.scope);
  const { user, domain } = ctx.principal;
  const own = { user: user.name, domain: domain.label };
  const object = { workplace_uuid: null, workplace_name: null, ...known?.object, ...own };
  const { id, uri } = site;
  return {
    ...{ kind, uuid, object, farm, nodes: farm.nodes, person: null, use: null },
    site: { id, uri, enabled: true },
  };
}

/** The cached service list of the farm expires also after a failure, because the order may have taken effect. */
async function end(ctx: SessionCtx, target: Target): Promise<'ended' | 'gone'> {
  const { deps, now, parameters, principal } = ctx;
  const staleAt = addSeconds(now, -parameters['aggregator.services_fresh_s']);
  const action = {
    ...endingAction(target, 'logoff', deps.dispatchers, now),
    released: (h: Parameters<typeof ageServiceList>[0]) => [
      ageServiceList(h, principal.user.id, target.farm.id, staleAt),
    ],
  };
  try {
    await act(ctx, target, action);
    return 'ended';
  } catch (error) {
    if (!isGone(error)) throw error;
    return 'gone';
  } finally {
    // Notifies the session agent, which may be waiting for messages.
    deps.notifier?.notify(String(target.object.workplace_uuid));
  }
}
