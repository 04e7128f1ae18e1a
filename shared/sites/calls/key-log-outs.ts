import {
  claimEndedKeys,
  deleteEndedKey,
  type EndedKey,
} from '../../../db/repositories/routing/ended-node-keys.ts';
import { createSemaphore, type Semaphore } from '../../kernel/concurrency/semaphore.ts';
import { newId } from '../../kernel/ids.ts';
import { type CallCtx, nodeOf, placeOf } from './dispatcher-keys.ts';

type Deps = Pick<CallCtx['deps'], 'db' | 'dispatchers' | 'log' | 'sealer'>;

/** Keys in one batch. */
const atOnce = 500;
/** Concurrent calls, in total and for each node. */
const mostCalls = { all: 24, node: 4 };

/**
 * Logs out the keys of deactivated and deleted users at their nodes. After a failure, the node is skipped for the rest
 * of the batch. Its keys are retried with increasing back-off until they expire.
 * @returns the number of keys in the batch
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
    // The encryption key was removed, so the session key cannot be logged out. It expires.
    log.warn('the session key of a user whose access was revoked cannot be decrypted', {
      dispatcher_id: node.id,
      error,
    });
    return undefined;
  });
  if (key !== undefined)
    await dispatchers.logOut({ node: nodeOf(node), key, trace: { requestId: newId() }, signal });
  await deleteEndedKey(db, id);
}
