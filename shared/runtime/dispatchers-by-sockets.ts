import { createDispatcherRemote } from '../remotes/dispatcher/https.ts';
import { createNodeTransport } from '../remotes/http/node.ts';
import type { FleetIngredients, Ingredients } from './deps.ts';

/** Dispatchers as a Lambda function reaches them; its connections live as long as the function's instance. */
export const bySockets = (given: Ingredients): FleetIngredients => ({
  ...given,
  dispatchers: createDispatcherRemote(createNodeTransport(given.outbound)),
});
