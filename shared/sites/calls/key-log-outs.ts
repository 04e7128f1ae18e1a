import {
  claimEndedKeys,
  deleteEndedKey,
  type EndedKey,
} from '../../../db/repositories/routing/ended-node-keys.ts';
import { createSemaphore, type Semaphore } from '../../kernel/concurrency/semaphore.ts';
import { newId } from '../../kernel/ids.ts';
import { type CallCtx, nodeOf, placeOf } from './dispatcher-keys.ts';

type Deps = Pick<CallCtx['deps'], 'db' | 'dispatchers' | 'log' | 'sealer'>;

/** Keys of one round. */
const atOnce = 500;
/** Calls at the same time, of all nodes and of one. */
const mostCalls = { all: 24, node: 4 };

/**
 * Logs the keys of deactivated and deleted users out at their nodes. A node that does not answer is left for this round,
 * and its keys come again after a growing time until they expire.
 * @returns how many keys were taken
 */
export async function logOutEndedKeys(deps: Deps, signal: AbortSignal): Promise<number> {
  const keys = await claimEndedKeys(deps.db, atOnce);
  const all = createSemaphore(mostCalls.all);
  const byNode = Map.groupBy(keys, ({ node }) => node.id);
  await Promise.all([...byNode.values()].map((ofNode) => logOutOfNode(deps, ofNode, all, signal)));
  return keys.length;
}

async function logOutOfNode(
  deps: Deps,
  keys: readonly EndedKey[],
  all: Semaphore,
  signal: AbortSignal,
): Promise<void> {
  const ofNode = createSemaphore(mostCalls.node);
  let isReachable = true;
  const logOut = async (key: EndedKey): Promise<void> => {
    if (!isReachable || signal.aborted) return;
    try {
      await logOutKey(deps, key, signal);
    } catch (error) {
      isReachable = false;
      if (!signal.aborted)
        deps.log.warn('a node did not revoke a session key', { dispatcher_id: key.node.id, error });
    }
  };
  await Promise.all(keys.map((key) => ofNode(() => all(() => logOut(key)))));
}

async function logOutKey({ db, dispatchers, log, sealer }: Deps, ended: EndedKey, signal: AbortSignal) {
  const { id, node, sealed_key } = ended;
  const key = await sealer.open(sealed_key, placeOf(node, ended)).catch((error: unknown) => {
    // Sealed by a key of ours that is gone: it can only expire.
    log.warn('an expired session key of a node cannot be decrypted', { dispatcher_id: node.id, error });
    return undefined;
  });
  if (key !== undefined)
    await dispatchers.logOut({ node: nodeOf(node), key, trace: { requestId: newId() }, signal });
  await deleteEndedKey(db, id);
}
