import { createFetchTransport } from '../../remotes/http/fetch.ts';
import { timed } from '../../remotes/http/measured.ts';
import { createPeerKeyRemote } from '../../remotes/peer-keys/https.ts';
import type { FleetRuntimeParts, RuntimeParts } from '../deps.ts';

/** Remotes for dispatchers and peer keys on Workers. */
export const byFetch = (given: RuntimeParts): FleetRuntimeParts => {
  const transport = createFetchTransport(given.outbound);
  return {
    ...given,
    dispatcherTransport: timed(transport, given.telemetry),
    peerKeys: createPeerKeyRemote(transport),
  };
};
