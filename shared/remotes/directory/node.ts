import { isIP, connect as openPlain } from 'node:net';
import { type ConnectionOptions, connect as openTls } from 'node:tls';
import { isAddressAllowed, isAddressInside, parseNetworks, type UrlPolicy } from '../http/address-policy.ts';
import { type Lookup, pinnedLookup, systemLookup } from '../tls/node.ts';
import { type Destination, type DirectorySockets, established } from './sockets.ts';

/**
 * Directory connections for Node and Lambda. Addresses are checked at connection time; unencrypted connections are
 * restricted to the allowed networks.
 * @param resolve name resolution; default: the system resolver
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

/** RFC 6066 section 3: a server name contains no literal address and no trailing dot. */
const tlsOptions = ({ hostname: host, ca }: Destination): ConnectionOptions => ({
  host,
  servername: isIP(host) ? '' : host.replace(/\.$/, ''),
  rejectUnauthorized: true,
  ...(ca && { ca }),
});
