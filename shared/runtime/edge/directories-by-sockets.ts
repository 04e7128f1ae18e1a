import { createNodeSockets } from '../../remotes/directory/node.ts';
import type { DirectoryRemote } from '../../remotes/directory/port.ts';
import { createDirectoryRemote } from '../../remotes/directory/remote.ts';
import type { UrlPolicy } from '../../remotes/http/address-policy.ts';

/** Directories as Lambda reaches them: an instance that is frozen between requests keeps no connections. */
export const directoriesBySockets = (outbound: UrlPolicy): { directories: DirectoryRemote } => ({
  directories: createDirectoryRemote(createNodeSockets(outbound), outbound),
});

/** Directories as a long-running process of Node reaches them: connections are kept for the next login. */
export const directoriesByKeptSockets = (outbound: UrlPolicy): { directories: DirectoryRemote } => ({
  directories: createDirectoryRemote(createNodeSockets(outbound), outbound, { restMs: 30_000 }),
});
