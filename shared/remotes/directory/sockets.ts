import type { Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { Network } from '../http/address-policy.ts';
import { isHostAllowed, isHostInside } from '../http/address-policy.ts';
import { TransportError } from '../http/transport.ts';
import { type DirectoryPeer, parseDirectoryUrl } from './address.ts';

/** A server with the security of its connection; `ca` is PEM. */
export type Destination = {
  hostname: string;
  port: number;
  security: 'tls' | 'start_tls' | 'none';
  ca: string | undefined;
};

/** Opens directory connections on a runtime. */
export type DirectorySockets = {
  /**
   * @returns an established connection, after the TLS handshake for security `tls`
   * @throws TransportError, also for an address that is not allowed
   */
  open(destination: Destination, signal: AbortSignal): Promise<Socket>;
  /** Options for StartTLS. @throws TransportError if the runtime does not support it */
  startTls(destination: Destination): ConnectionOptions;
};

/** @throws TransportError for an address that is not allowed; the row may be older than the configuration */
export function destinationOf(
  url: string,
  { startTls, ca }: { startTls: boolean; ca: string | undefined },
  networks: readonly Network[],
): Destination {
  const peer = parseDirectoryUrl(url);
  const isEncrypted = peer !== undefined && (peer.encrypted || startTls);
  if (!peer || !isAllowed(peer, isEncrypted, networks)) throw new TransportError('address_not_allowed');
  return {
    hostname: peer.host,
    port: Number(peer.port || (peer.encrypted ? 636 : 389)),
    security: peer.encrypted ? 'tls' : startTls ? 'start_tls' : 'none',
    ca,
  };
}

/** @throws TransportError for a failed connection, or when the signal aborts */
export function established(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => {
      socket.destroy();
      reject(error);
    };
    socket.once(event, () => resolve(socket));
    socket.on('error', fail);
    socket.once('close', () => reject(new TransportError('unreachable')));
    signal.addEventListener('abort', () => fail(new TransportError('timeout')), { once: true });
  });
}

const isAllowed = ({ host }: DirectoryPeer, isEncrypted: boolean, networks: readonly Network[]) =>
  isHostAllowed(host, networks) && (isEncrypted || isHostInside(host, networks));
