import type { SiteGateway } from '../../db/repositories/gateways/of-sites.ts';
import { isInside } from '../kernel/networks.ts';

/** Who is to go through a gateway; `ip` as `plainAddress` spells it, absent when it is not known. */
export type Traveller = { ip: string | undefined; protocol: string };

/** True when gateways serve the client, and none of them is alive: the way through the gateways is closed. */
export function isCutOff(gateways: readonly SiteGateway[], traveller: Traveller): boolean {
  const serving = gateways.filter((gateway) => serves(gateway, traveller));
  return serving.length > 0 && !serving.some(({ alive }) => alive);
}

/**
 * The gateway for a client, by priority; of equal ones those that are heard come before those never heard, and chance
 * shares out the rest, since the figures of a heartbeat would send everybody the same way until the next.
 * @param random from 0 to 1, not 1 itself
 */
export function chooseGateway(
  gateways: readonly SiteGateway[],
  traveller: Traveller,
  random: () => number,
): SiteGateway | undefined {
  const fitting = gateways.filter((gateway) => gateway.alive && serves(gateway, traveller));
  const first = Math.min(...fitting.map(({ priority }) => priority));
  const alike = fitting.filter(({ priority }) => priority === first);
  const online = alike.filter((gateway) => gateway.online);
  const choice = online.length > 0 ? online : alike;
  return choice[Math.floor(random() * choice.length)];
}

function serves({ protocols, networks }: SiteGateway, { ip, protocol }: Traveller): boolean {
  if (!protocols.includes(protocol)) return false;
  return networks.length === 0 || (ip !== undefined && isInside(ip, networks));
}
