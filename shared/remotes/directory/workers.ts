import { connect as openPlain, type Socket } from 'node:net';
import { connect as openTls } from 'node:tls';
import { TransportError } from '../http/transport.ts';
import { type DirectorySockets, established } from './sockets.ts';

/**
 * Directory connections for Workers. Resolved addresses are not visible, only the authorities of the runtime are
 * trusted, and StartTLS is not supported.
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

/** Errors of the runtime have no code, so the reason is derived from the kind of connection. */
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
