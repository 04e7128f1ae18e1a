import { createFetchTransport } from '../../remotes/http/fetch.ts';
import { withDurations } from '../../remotes/http/measured.ts';
import { createPeerKeyRemote } from '../../remotes/peer-keys/https.ts';
import type { FleetRuntimeParts, RuntimeParts } from '../deps.ts';

/** Remotes for dispatchers and peer keys on Workers. */
export const byFetch = (given: RuntimeParts): FleetRuntimeParts => {
  const transport = createFetchTransport(given.outbound);
  return {
    ...given,
    dispatcherTransport: withDurations(transport, given.telemetry),
    peerKeys: createPeerKeyRemote(transport),
  };
};
