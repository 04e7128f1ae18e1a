import type { DirectoryRemote } from '../../remotes/directory/port.ts';
import { createDirectoryRemote } from '../../remotes/directory/remote.ts';
import { workerSockets } from '../../remotes/directory/workers.ts';
import type { UrlPolicy } from '../../remotes/http/address-policy.ts';

/**
 * Directories for Workers. Requests do not queue but fail with 503, because a request that would release the slot may
 * have ended.
 */
export const directoriesOnWorkers = (outbound: UrlPolicy): { directories: DirectoryRemote } => ({
  directories: createDirectoryRemote(workerSockets, outbound, { width: 16, maxWaiting: 0 }),
});
