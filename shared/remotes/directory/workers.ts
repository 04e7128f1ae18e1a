import { connect as openPlain, type Socket } from 'node:net';
import { connect as openTls } from 'node:tls';
import { TransportError } from '../http/transport.ts';
import { type DirectorySockets, established } from './sockets.ts';

/**
 * Connections of Workers: what a name resolves to is not seen, authorities are those that the runtime trusts, and a
 * connection cannot be encrypted later.
 */
export const workerSockets: DirectorySockets = {
  open: async ({ hostname: host, port, security, ca }, signal) => {
    if (security === 'none') {
      return explained(established(openPlain({ host, port }), 'connect', signal), unreachable);
    }
    if (security === 'start_tls' || ca !== undefined) throw unsupported();
    const socket = openTls({ host, port, servername: host });
    return explained(established(socket, 'secureConnect', signal), refusedByTls);
  },
  startTls: () => {
    throw unsupported();
  },
};

/** The runtime's own errors have no code: all that is known is what was being tried. */
async function explained(opening: Promise<Socket>, fault: () => TransportError): Promise<Socket> {
  try {
    return await opening;
  } catch (error) {
    throw error instanceof TransportError ? error : fault();
  }
}

const unreachable = () => new TransportError('unreachable');
const refusedByTls = () => new TransportError('tls', { tlsReason: 'unknown' });
const unsupported = () => new TransportError('tls', { tlsReason: 'unsupported_on_this_runtime' });
