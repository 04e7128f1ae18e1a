import { once } from 'node:events';
import { connect } from 'node:net';
import { isHostAllowed, parseNetworks, type UrlPolicy } from '../http/address-policy.ts';
import { TransportError } from '../http/transport.ts';
import { pinnedLookup, systemLookup } from '../tls/node.ts';
import type { OpenTcp } from './transport.ts';

/**
 * TCP for Node and Lambda: the address that is connected to is the one that was judged.
 * @throws Error when `allowedNetworks` holds something else than networks
 */
export function createTcp({ allowedNetworks }: Pick<UrlPolicy, 'allowedNetworks'>): OpenTcp {
  const networks = parseNetworks(allowedNetworks);
  const lookup = pinnedLookup(systemLookup, networks);
  return async ({ hostname, port }, signal) => {
    // A literal never reaches a look-up.
    if (!isHostAllowed(hostname, networks)) throw new TransportError('address_not_allowed');
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port, lookup, noDelay: true });
    signal.addEventListener('abort', () => socket.destroy(new TransportError('timeout')), { once: true });
    await once(socket, 'connect');
    // Whoever reads or writes is told; a fault after that concerns nobody.
    socket.on('error', () => socket.destroy());
    return {
      write: (bytes) =>
        new Promise((resolve, reject) => socket.write(bytes, (error) => (error ? reject(error) : resolve()))),
      chunks: socket,
      close: () => socket.destroy(),
    };
  };
}
