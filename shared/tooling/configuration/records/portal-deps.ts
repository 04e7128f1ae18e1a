import { hostname, release, type } from 'node:os';
import type { Db } from '../../../../db/client.ts';
import { type WebuiDeps, webuiDeps } from '../../../../functions/webui/deps.ts';
import { AppError } from '../../../kernel/errors.ts';
import type { DirectoryRemote } from '../../../remotes/directory/port.ts';
import { createNodeTransport } from '../../../remotes/http/node.ts';
import { createTcp } from '../../../remotes/kerberos/node.ts';
import { createKdcRemote } from '../../../remotes/kerberos/transport.ts';
import { createPeerKeyRemote } from '../../../remotes/peer-keys/https.ts';
import type { Config } from '../../../runtime/config/config.ts';
import { directoriesBySockets } from '../../../runtime/edge/directories-by-sockets.ts';
import { createLog } from '../../../runtime/log.ts';
import { ownAssets } from '../../build/asset-files.ts';

export type PortalDeps = { deps: WebuiDeps; close(): Promise<void> };

/** The dependencies of the administration operations, in a process without a server. */
export async function portalDeps(db: Db, config: Config): Promise<PortalDeps> {
  const outbound = {
    allowedNetworks: config.allowedPrivateNetworks,
    allowInsecure: config.allowInsecureDispatchers,
  };
  const transport = createNodeTransport(outbound);
  const deps = await webuiDeps({
    db,
    log: createLog({ level: 'warn' }),
    portalType: 'universal',
    baseUrl: config.baseUrl,
    host: {
      name: config.portalName ?? hostname(),
      runtime: 'node',
      os: `${type()} ${release()}`,
      startedAt: new Date(),
    },
    assets: ownAssets(),
    secretKeys: config.secretKey,
    signingKeys: [config.aggregatorJwtSslKey, config.aggregatorJwtSslKeySecond].filter(
      (key) => key !== undefined,
    ),
    outbound,
    webhookNetworks: config.webhookNetworks,
    dispatcherTransport: transport,
    ...directoriesBySockets(outbound),
    kdcs: createKdcRemote(createTcp(outbound)),
    peerKeys: createPeerKeyRemote(transport),
  });
  return { deps, close: () => transport.close() };
}

/**
 * Dependencies of a dry run without directories, so that no transaction waits for a directory whose response is not
 * needed.
 */
export const withoutDirectories = (deps: WebuiDeps): WebuiDeps => ({
  ...deps,
  log: { ...deps.log, warn: () => undefined },
  directories: unreachable,
});

const unreachable: DirectoryRemote = {
  within: () => Promise.reject(new AppError('upstream_failed')),
};
