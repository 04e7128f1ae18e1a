import { once } from 'node:events';
import { connect } from 'node:net';
import { isHostAllowed, parseNetworks, type UrlPolicy } from '../http/address-policy.ts';
import { TransportError } from '../http/transport.ts';
import { pinnedLookup, systemLookup } from '../tls/node.ts';
import type { OpenTcp } from './transport.ts';

/**
 * TCP for Node and Lambda. The connection goes to the address that was checked.
 * @throws Error if `allowedNetworks` has an invalid entry
 */
export function createTcp({ allowedNetworks }: Pick<UrlPolicy, 'allowedNetworks'>): OpenTcp {
  const networks = parseNetworks(allowedNetworks);
  const lookup = pinnedLookup(systemLookup, networks);
  return async ({ hostname, port }, signal) => {
    // Literal addresses are not passed to a lookup.
    if (!isHostAllowed(hostname, networks)) throw new TransportError('address_not_allowed');
    const socket = connect({ host: hostname, port, lookup, noDelay: true });
    signal.addEventListener('abort', () => socket.destroy(new TransportError('timeout')), { once: true });
    await once(socket, 'connect');
    // Pending reads and writes fail by themselves. Without a listener a later error would end the process.
    socket.on('error', () => socket.destroy());
    return {
      write: (bytes) =>
        new Promise((resolve, reject) => socket.write(bytes, (error) => (error ? reject(error) : resolve()))),
      chunks: socket,
      close: () => socket.destroy(),
    };
  };
}
