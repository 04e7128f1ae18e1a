import { createNodeSockets } from '../remotes/directory/node.ts';
import type { DirectoryRemote } from '../remotes/directory/port.ts';
import { createDirectoryRemote } from '../remotes/directory/remote.ts';
import type { UrlPolicy } from '../remotes/http/address-policy.ts';

/** Directories as Node and Lambda reach them. */
export const directoriesBySockets = (outbound: UrlPolicy): { directories: DirectoryRemote } => ({
  directories: createDirectoryRemote(createNodeSockets(outbound), outbound),
});
