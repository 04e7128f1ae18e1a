import { createNodeSockets } from '../../remotes/directory/node.ts';
import type { DirectoryRemote } from '../../remotes/directory/port.ts';
import { createDirectoryRemote } from '../../remotes/directory/remote.ts';
import type { UrlPolicy } from '../../remotes/http/address-policy.ts';

/** Directories for Lambda. An instance is frozen between requests, so connections are not pooled. */
export const directoriesBySockets = (outbound: UrlPolicy): { directories: DirectoryRemote } => ({
  directories: createDirectoryRemote(createNodeSockets(outbound), outbound),
});

/** Directories for a long-running Node process, with pooled connections. */
export const directoriesByPooledSockets = (outbound: UrlPolicy): { directories: DirectoryRemote } => ({
  directories: createDirectoryRemote(createNodeSockets(outbound), outbound, { idleMs: 30_000 }),
});
