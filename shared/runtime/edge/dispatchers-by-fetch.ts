import { withDurations } from '../../remotes/http/durations.ts';
import { createFetchTransport } from '../../remotes/http/fetch.ts';
import { createPeerKeyRemote } from '../../remotes/peer-keys/https.ts';
import type { FleetRuntimeParts, RuntimeParts } from '../deps.ts';

/** Remotes for dispatchers and peer keys on Workers. */
export const byFetch = (parts: RuntimeParts): FleetRuntimeParts => {
  const transport = createFetchTransport(parts.outbound);
  return {
    ...parts,
    dispatcherTransport: withDurations(transport, parts.telemetry),
    peerKeys: createPeerKeyRemote(transport),
  };
};
