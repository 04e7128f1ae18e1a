import { withDurations } from '../../remotes/http/durations.ts';
import { createNodeTransport } from '../../remotes/http/node.ts';
import { createPeerKeyRemote } from '../../remotes/peer-keys/https.ts';
import type { FleetRuntimeParts, RuntimeParts } from '../deps.ts';

/** Remotes for dispatchers and peer keys on Lambda. Connections live as long as the instance. */
export const bySockets = (parts: RuntimeParts): FleetRuntimeParts => {
  const transport = createNodeTransport(parts.outbound);
  return {
    ...parts,
    dispatcherTransport: withDurations(transport, parts.telemetry),
    peerKeys: createPeerKeyRemote(transport),
  };
};
