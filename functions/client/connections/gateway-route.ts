import type { Db, Statement } from '../../../db/client.ts';
import type { SiteGateway } from '../../../db/repositories/gateways/of-sites.ts';
import { addTicket, ticketLifeS } from '../../../db/repositories/gateways/tickets.ts';
import { randomAlphanumerics, sha256 } from '../../../shared/kernel/crypto/digests.ts';
import { AppError } from '../../../shared/kernel/errors.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { isInside, plainAddress } from '../../../shared/kernel/networks.ts';
import type { Connection } from '../../../shared/remotes/dispatcher/connections.ts';
import type { RoutedSite } from '../../../shared/routing/routed-site.ts';
import type { UserCtx, UserFarm } from '../../../shared/sites/user-site.ts';

type GatewayAddress = Pick<SiteGateway, 'host' | 'port'> & { ticket: string; expires_in: number };

/** A connection through a gateway, and the statement that makes its ticket valid. */
export type GatewayRoute = {
  gateway: Pick<SiteGateway, 'id' | 'name'>;
  connection: Connection & { gateway: GatewayAddress };
  keep: (h: Db) => Statement;
};

/**
 * The route through a gateway of the site, if one serves the client; without one the client connects directly.
 * @throws AppError `gateway_unavailable` when gateways serve the client and none of them is alive
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
  const ticket = randomAlphanumerics(48);
  const kept = {
    id: newId(),
    ticketHash: sha256(ticket),
    gatewayId: gateway.id,
    userId: ctx.principal.user.id,
    farmId: farm.id,
    sessionUuid: connection.session_uuid ?? null,
    clientIp: ip ?? null,
    host: connection.host,
    port: portBehind(connection),
    tunnels: tunnelsFor[protocol],
  };
  return {
    gateway,
    connection: through(connection, { ...gateway, ticket, expires_in: ticketLifeS }),
    keep: (h) => addTicket(h, kept),
  };
}

/** True while clients must go through a gateway, and none that serves this one is alive. */
export const isClosed = (ctx: UserCtx, { routing }: RoutedSite, protocol: string): boolean =>
  !routing.direct_when_gateways_fail &&
  isCutOff(routing.gateways, { ip: plainAddress(ctx.client.ip), protocol });

/**
 * SPICE has a connection for each channel: four to begin with, a dozen with all devices. RDP has one for everything, but
 * its programs begin anew after they have asked about a certificate, or when the server wants another way to log in.
 */
const tunnelsFor = { rdp: 4, spice: 16 } as const satisfies Record<Connection['protocol'], number>;

/** A ticket leads to one port: where SPICE has one for TLS, all channels may use that. */
const portBehind = ({ port, spice }: Connection): number => spice?.tls_port ?? port;

/** Only the gateway learns the address behind it. */
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

/** A client before the choice of a gateway; `ip` as `plainAddress` spells it, absent when it is not known. */
export type GatewayClient = { ip: string | undefined; protocol: string };

/** True when gateways serve the client, and none of them is alive: the way through the gateways is closed. */
export function isCutOff(gateways: readonly SiteGateway[], client: GatewayClient): boolean {
  const serving = gateways.filter((gateway) => serves(gateway, client));
  return serving.length > 0 && !serving.some(({ alive }) => alive);
}

/**
 * The gateway for a client, by priority. Of equal ones those that send heartbeats come first; among the rest chance decides,
 * because the load in a heartbeat would lead all clients to one gateway until the next heartbeat.
 * @param random from 0 to 1, not 1 itself
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
