import { createDispatcherRemote } from '../remotes/dispatcher/https.ts';
import { createFetchTransport } from '../remotes/http/fetch.ts';
import type { FleetIngredients, Ingredients } from './deps.ts';

/** Dispatchers as a Worker reaches them. */
export const byFetch = (given: Ingredients): FleetIngredients => ({
  ...given,
  dispatchers: createDispatcherRemote(createFetchTransport(given.outbound)),
});
