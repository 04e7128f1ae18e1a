import type { z } from 'zod';
import { fanOut, type Outcome } from '../../../shared/fleet/fan-out.ts';
import { callFarm } from '../../../shared/fleet/farm-calls.ts';
import { farmStatus } from '../../../shared/fleet/farm-status.ts';
import { farmDomains, isLinked, knownDomains } from '../../../shared/fleet/linking.ts';
import { loadUserSite, type UserCtx, type UserFarm, type UserSite } from '../../../shared/fleet/user-site.ts';
import { AppError } from '../../../shared/kernel/errors.ts';
import { foldName } from '../../../shared/kernel/text.ts';
import type { Domain, Service } from '../../../shared/remotes/dispatcher/shapes.ts';
import type { ClientService, LinkedDomain, ServicesList } from './schema.ts';

type FarmAnswer = { domains: Domain[]; services: Service[] };
type Asked = { farm: UserFarm; outcome: Outcome<FarmAnswer> };

/**
 * Services of all farms of a site, as many as answer within the deadline.
 * @throws AppError `not_found` for a site that is not the caller's; `upstream_unavailable` when no farm answered
 */
export async function listServices(ctx: UserCtx, siteUri: string): Promise<z.input<typeof ServicesList>> {
  const site = await loadUserSite(ctx, siteUri);
  const open = site.maintenance ? [] : site.farms.filter((farm) => farm.enabled && !farm.maintenance);
  const deadline = ctx.actor.parameters['aggregator.list_deadline_ms'];
  const ask = (farm: UserFarm, signal: AbortSignal) => askFarm(ctx, site, farm, signal);
  const outcomes = await fanOut(open, deadline, ask);
  const asked = open.flatMap((farm, at): Asked[] => (outcomes[at] ? [{ farm, outcome: outcomes[at] }] : []));
  const sites = site.farms.map((farm) =>
    farmStatus(site, farm, asked.find((one) => one.farm === farm)?.outcome, ctx.now),
  );
  if (asked.length > 0 && asked.every(({ outcome }) => !outcome.ok)) {
    throw new AppError('upstream_unavailable', 'No farm of the site answered', { sites, site: site.uri });
  }
  const services = asked.flatMap(({ farm, outcome }) =>
    outcome.ok ? outcome.value.services.map((service) => serviceOf(site, farm, service)) : [],
  );
  return { domains: linkedDomains(site, asked), services: services.sort(byName), sites };
}

/**
 * Services only where the caller's label is linked. Both questions are asked at once, so that a farm met for the first
 * time takes two calls in a row and not four.
 */
async function askFarm(
  ctx: UserCtx,
  site: UserSite,
  farm: UserFarm,
  signal: AbortSignal,
): Promise<FarmAnswer> {
  const { label } = ctx.actor.domain;
  const known = knownDomains(farm, ctx.now);
  if (known && !isLinked(known, label)) return { domains: known, services: [] };
  const [domains, services] = await Promise.allSettled([
    farmDomains(ctx, site, farm),
    callFarm(ctx, site, farm, site.speaker, (call) => ctx.deps.dispatchers.services(call), signal),
  ]);
  if (domains.status === 'rejected') throw domains.reason;
  // A node gives no key to a label that it does not know.
  if (!isLinked(domains.value, label)) return { domains: domains.value, services: [] };
  if (services.status === 'rejected') throw services.reason;
  return { domains: domains.value, services: services.value };
}

function serviceOf(site: UserSite, farm: UserFarm, service: Service): z.input<typeof ClientService> {
  const id = `${farm.id}.${service.uuid}`;
  return {
    id,
    kind: 'pool',
    name: service.name,
    description: service.description,
    image_url: null,
    protocols: service.protocols,
    in_use: service.in_use,
    maintenance: service.maintenance,
    ...(service.maintenance_message && { maintenance_message: service.maintenance_message }),
    state: service.state,
    farm_id: farm.id,
    sessions: service.sessions.map(({ session_uuid, state }) => ({ session_uuid, state, farm_id: farm.id })),
    link: `/aggregator/api/client/v7.0/${site.uri}/connectionInfo/${id}`,
  };
}

const byName = (a: { name: string; id: string }, b: { name: string; id: string }): number => {
  const [left, right] = [foldName(a.name), foldName(b.name)];
  if (left !== right) return left < right ? -1 : 1;
  return a.id < b.id ? -1 : 1;
};

/** Our domains, each with the farms whose dispatchers know its label. */
const linkedDomains = (site: UserSite, asked: readonly Asked[]): z.input<typeof LinkedDomain>[] =>
  site.domains.map(({ id, name, label }) => {
    const farms = asked.flatMap(({ farm, outcome }) => {
      const known =
        outcome.ok &&
        outcome.value.domains.find(({ authSmallName }) => foldName(authSmallName) === foldName(label));
      return known ? [{ farm_id: farm.id, dispatcher_uuid: known.authUuid }] : [];
    });
    return { authSmallName: label, auth: name, local_uuid: id, linked: farms.length > 0, farms };
  });
