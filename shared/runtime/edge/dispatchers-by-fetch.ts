import { createDispatcherRemote } from '../../remotes/dispatcher/https.ts';
import { createFetchTransport } from '../../remotes/http/fetch.ts';
import { createPeerKeyRemote } from '../../remotes/peer-keys/https.ts';
import type { FleetIngredients, Ingredients } from '../deps.ts';
import { timed } from '../upstream-times.ts';

/** Remotes for dispatchers and peer keys on Workers. */
export const byFetch = (given: Ingredients): FleetIngredients => {
  const transport = createFetchTransport(given.outbound);
  return {
    ...given,
    dispatchers: createDispatcherRemote(timed(transport, given.telemetry)),
    peerKeys: createPeerKeyRemote(transport),
  };
};
