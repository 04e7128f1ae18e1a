import { createDispatcherRemote } from '../remotes/dispatcher/https.ts';
import { createFetchTransport } from '../remotes/http/fetch.ts';
import { createPeerKeyRemote } from '../remotes/peer-keys/https.ts';
import type { FleetIngredients, Ingredients } from './deps.ts';

/** Dispatchers, and the keys of peers, as a Worker reaches them. */
export const byFetch = (given: Ingredients): FleetIngredients => {
  const transport = createFetchTransport(given.outbound);
  return {
    ...given,
    dispatchers: createDispatcherRemote(transport),
    peerKeys: createPeerKeyRemote(transport),
  };
};
