import { timed } from '../../remotes/http/measured.ts';
import { createNodeTransport } from '../../remotes/http/node.ts';
import { createPeerKeyRemote } from '../../remotes/peer-keys/https.ts';
import type { FleetRuntimeParts, RuntimeParts } from '../deps.ts';

/** Remotes for dispatchers and peer keys on Lambda. Connections live as long as the instance. */
export const bySockets = (given: RuntimeParts): FleetRuntimeParts => {
  const transport = createNodeTransport(given.outbound);
  return {
    ...given,
    dispatcherTransport: timed(transport, given.telemetry),
    peerKeys: createPeerKeyRemote(transport),
  };
};
