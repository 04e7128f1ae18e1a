import type { Db, Statement } from '../../../db/client.ts';
import type { SiteGateway } from '../../../db/repositories/gateways/site-gateways.ts';
import { addTicket, type NewTicket, ticketLifeS } from '../../../db/repositories/gateways/tickets.ts';
import { randomAlphanumerics, sha256 } from '../../../shared/kernel/crypto/digests.ts';
import { AppError } from '../../../shared/kernel/errors.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { isInside, plainAddress } from '../../../shared/kernel/networks.ts';
import type { Connection } from '../../../shared/remotes/dispatcher/connections.ts';
import type { RoutedSite } from '../../../shared/routing/routed-site.ts';
import type { UserCtx, UserFarm } from '../../../shared/sites/user-site.ts';

type GatewayAddress = Pick<SiteGateway, 'host' | 'port'> & { ticket: string; expires_in: number };

/** A connection through a gateway. `keep` is the statement that makes its ticket valid. */
export type GatewayRoute = {
  gateway: Pick<SiteGateway, 'id' | 'name'>;
  connection: Connection & { gateway: GatewayAddress };
  keep: (h: Db) => Statement;
};

/**
 * Returns the route through a gateway of the site, or undefined if no gateway serves the client, which then connects
 * directly.
 * @throws AppError `gateway_unavailable` if gateways serve the client and all of them are down
 */
export function gatewayRouteFor(
  ctx: UserCtx,
  site: RoutedSite,
  { answer: connection, farm }: { answer: Connection; farm: UserFarm },
): GatewayRoute | undefined {
  const ip = plainAddress(ctx.client.ip);
  const { protocol } = connection;
  const gateway = chooseGateway(site.routing.gateways, { ip, protocol }, Math.random);
  if (!gateway) {
    if (isClosed(ctx, site, protocol))
      throw new AppError('gateway_unavailable', undefined, { site: site.uri });
    return undefined;
  }
  const secret = randomAlphanumerics(48);
  const ticket = {
    id: newId(),
    ticketHash: sha256(secret),
    gatewayId: gateway.id,
    userId: ctx.principal.user.id,
    farmId: farm.id,
    sessionUuid: connection.session_uuid ?? null,
    clientIp: ip ?? null,
    host: connection.host,
    port: portBehind(connection),
    ...ticketLimits[protocol],
  };
  return {
    gateway,
    connection: through(connection, { ...gateway, ticket: secret, expires_in: ticketLifeS }),
    keep: (h) => addTicket(h, ticket),
  };
}

/** True if the client must connect through a gateway, and all gateways that serve it are down. */
export const isClosed = (ctx: UserCtx, { routing }: RoutedSite, protocol: string): boolean =>
  !routing.direct_when_gateways_fail &&
  isCutOff(routing.gateways, { ip: plainAddress(ctx.client.ip), protocol });

/**
 * Number of tunnels per ticket, and seconds after the first in which the others must begin. SPICE opens one connection
 * per channel: four at first, and about twelve with all devices. RDP uses one connection, but its clients reconnect
 * after they have prompted about a certificate or a password, or when the server requires another login method.
 */
const ticketLimits = {
  rdp: { tunnels: 4, followS: 120 },
  spice: { tunnels: 16, followS: 30 },
} as const satisfies Record<Connection['protocol'], Pick<NewTicket, 'tunnels' | 'followS'>>;

/** A ticket is valid for one port. If SPICE has a TLS port, all channels can use it. */
const portBehind = ({ port, spice }: Connection): number => spice?.tls_port ?? port;

/** Replaces the address of the workplace, which only the gateway receives. */
function through(
  connection: Connection,
  { host, port, ticket, expires_in }: GatewayAddress,
): GatewayRoute['connection'] {
  const { spice } = connection;
  return {
    ...connection,
    host,
    port,
    ...(spice && { spice: { ...spice, ...(spice.tls_port !== undefined && { tls_port: port }) } }),
    gateway: { host, port, ticket, expires_in },
  };
}

/** A client for which a gateway is selected. `ip` has the form of `plainAddress`; it is absent if unknown. */
export type GatewayClient = { ip: string | undefined; protocol: string };

/** True if gateways serve the client and all of them are down. */
export function isCutOff(gateways: readonly SiteGateway[], client: GatewayClient): boolean {
  const serving = gateways.filter((gateway) => serves(gateway, client));
  return serving.length > 0 && !serving.some(({ alive }) => alive);
}

/**
 * Selects the gateway for a client by priority. Among gateways of equal priority, those that send heartbeats come
 * first; among the rest the choice is random, because the load in a heartbeat would send all clients to the same
 * gateway until the next heartbeat.
 * @param random returns a number from 0 (inclusive) to 1 (exclusive)
 */
export function chooseGateway(
  gateways: readonly SiteGateway[],
  client: GatewayClient,
  random: () => number,
): SiteGateway | undefined {
  const fitting = gateways.filter((gateway) => gateway.alive && serves(gateway, client));
  const first = Math.min(...fitting.map(({ priority }) => priority));
  const alike = fitting.filter(({ priority }) => priority === first);
  const online = alike.filter((gateway) => gateway.online);
  const choice = online.length > 0 ? online : alike;
  return choice[Math.floor(random() * choice.length)];
}

function serves({ protocols, networks }: SiteGateway, { ip, protocol }: GatewayClient): boolean {
  if (!protocols.includes(protocol)) return false;
  return networks.length === 0 || (ip !== undefined && isInside(ip, networks));
}
