import type { Db, Statement } from '../../../db/client.ts';
import type { SiteGateway } from '../../../db/repositories/gateways/of-sites.ts';
import { addTicket, ticketLifeS } from '../../../db/repositories/gateways/tickets.ts';
import { chooseGateway, isCutOff } from '../../../shared/gateways/choice.ts';
import { randomAlphanumerics, sha256 } from '../../../shared/kernel/crypto/digests.ts';
import { AppError } from '../../../shared/kernel/errors.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { plainAddress } from '../../../shared/kernel/networks.ts';
import type { Connection } from '../../../shared/remotes/dispatcher/shapes.ts';
import type { RoutedSite } from '../../../shared/routing/routed-site.ts';
import type { UserCtx, UserFarm } from '../../../shared/sites/user-site.ts';

type Ways = Pick<SiteGateway, 'host' | 'port'> & { ticket: string; expires_in: number };

/** A connection through a gateway, and the statement that makes its ticket good. */
export type Passage = {
  gateway: Pick<SiteGateway, 'id' | 'name'>;
  connection: Connection & { gateway: Ways };
  keep: (h: Db) => Statement;
};

/**
 * The way through a gateway of the site, where one serves the client; without one the client connects directly.
 * @throws AppError `gateway_unavailable` when gateways serve the client and none of them is alive
 */
export function passageFor(
  ctx: UserCtx,
  site: RoutedSite,
  { connection, farm }: { connection: Connection; farm: UserFarm },
): Passage | undefined {
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

/** What lies behind the gateway is told to the gateway alone. */
function through(connection: Connection, { host, port, ticket, expires_in }: Ways): Passage['connection'] {
  const { spice } = connection;
  return {
    ...connection,
    host,
    port,
    ...(spice && { spice: { ...spice, ...(spice.tls_port !== undefined && { tls_port: port }) } }),
    gateway: { host, port, ticket, expires_in },
  };
}
