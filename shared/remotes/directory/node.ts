import { isIP, connect as openPlain } from 'node:net';
import { type ConnectionOptions, connect as openTls } from 'node:tls';
import { isAddressAllowed, isAddressInside, parseNetworks, type UrlPolicy } from '../http/address-policy.ts';
import { type Lookup, pinnedLookup, systemLookup } from '../tls/node.ts';
import { type Destination, type DirectorySockets, established } from './sockets.ts';

/**
 * Connections of Node and Lambda: the address is checked at the moment of connecting, as strictly as the security of the
 * connection demands.
 * @param resolve resolves names; the system's resolver unless given
 */
export function createNodeSockets(policy: UrlPolicy, resolve: Lookup = systemLookup): DirectorySockets {
  const networks = parseNetworks(policy.allowedNetworks);
  return {
    open: (destination, signal) => {
      const { hostname: host, port, security } = destination;
      const lookup = pinnedLookup(
        resolve,
        networks,
        security === 'none' ? isAddressInside : isAddressAllowed,
      );
      const socket =
        security === 'tls'
          ? openTls({ ...tlsOptions(destination), port, lookup })
          : openPlain({ host, port, lookup });
      socket.setNoDelay(true);
      return established(socket, security === 'tls' ? 'secureConnect' : 'connect', signal);
    },
    startTls: tlsOptions,
  };
}

/** RFC 6066 section 3: no literal addresses in the server name, and no trailing dot. */
const tlsOptions = ({ hostname: host, ca }: Destination): ConnectionOptions => ({
  host,
  servername: isIP(host) ? '' : host.replace(/\.$/, ''),
  rejectUnauthorized: true,
  ...(ca && { ca }),
});
