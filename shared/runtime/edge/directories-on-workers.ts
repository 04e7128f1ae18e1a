import type { DirectoryRemote } from '../../remotes/directory/port.ts';
import { createDirectoryRemote } from '../../remotes/directory/remote.ts';
import { workerSockets } from '../../remotes/directory/workers.ts';
import type { UrlPolicy } from '../../remotes/http/address-policy.ts';

/** Directories as Workers reach them. Nobody waits for his turn: whoever would give it may be gone. It is 503 instead. */
export const directoriesOnWorkers = (outbound: UrlPolicy): { directories: DirectoryRemote } => ({
  directories: createDirectoryRemote(workerSockets, outbound, { width: 16, maxWaiting: 0 }),
});
