import { connect as openPlain } from 'node:net';
import { connect as openTls } from 'node:tls';
import { TransportError } from '../http/transport.ts';
import { type DirectorySockets, established } from './sockets.ts';

/**
 * Connections of Workers: what a name resolves to is not seen, authorities are those that the runtime trusts, and a
 * connection cannot be encrypted later.
 */
export const workerSockets: DirectorySockets = {
  open: async ({ hostname: host, port, security, ca }, signal) => {
    if (security === 'none') return established(openPlain({ host, port }), 'connect', signal);
    if (security === 'start_tls' || ca !== undefined) throw unsupported();
    return established(openTls({ host, port, servername: host }), 'secureConnect', signal);
  },
  startTls: () => {
    throw unsupported();
  },
};

const unsupported = () => new TransportError('tls', { tlsReason: 'unsupported_on_this_runtime' });
