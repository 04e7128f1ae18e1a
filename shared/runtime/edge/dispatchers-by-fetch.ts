import { createDispatcherRemote } from '../../remotes/dispatcher/https.ts';
import { createFetchTransport } from '../../remotes/http/fetch.ts';
import { createPeerKeyRemote } from '../../remotes/peer-keys/https.ts';
import type { FleetRuntimeParts, RuntimeParts } from '../deps.ts';
import { withDurations } from '../upstream-times.ts';

/** Remotes for dispatchers and peer keys on Workers. */
export const byFetch = (given: RuntimeParts): FleetRuntimeParts => {
  const transport = createFetchTransport(given.outbound);
  return {
    ...given,
    dispatchers: createDispatcherRemote(withDurations(transport, given.telemetry)),
    peerKeys: createPeerKeyRemote(transport),
  };
};
