import type { Db } from '../../../db/client.ts';
import { createPortal, type Portal, type PortalDeps, portalDeps } from '../../../functions/portal.ts';
import type { Log } from '../../../shared/kernel/observability/log.ts';
import { createNodeTransport } from '../../../shared/remotes/http/node.ts';
import { createTcp } from '../../../shared/remotes/kerberos/node.ts';
import { createKdcRemote } from '../../../shared/remotes/kerberos/transport.ts';
import { createPeerKeyRemote } from '../../../shared/remotes/peer-keys/https.ts';
import { directoriesByPooledSockets } from '../../../shared/runtime/edge/directories-by-sockets.ts';
import { createSingleFlight } from '../../../shared/runtime/node/single-flight.ts';
import { ownAssets } from '../../../shared/tooling/build/asset-files.ts';
import { type Settings, sameForBoth } from '../settings.ts';

/** The modules of the portal in this process, on an existing database. */
export async function createBenchPortal(
  settings: Settings,
  db: Db,
  log: Log,
): Promise<{ portal: Portal; deps: PortalDeps; close(): Promise<void> }> {
  const { outbound } = sameForBoth;
  const transport = createNodeTransport(outbound);
  const deps = await portalDeps({
    db,
    log,
    portalType: 'universal',
    host: { name: 'bench', runtime: 'node', os: 'Linux', startedAt: new Date() },
    baseUrl: settings.baseUrl,
    secretKeys: [settings.secretKey],
    signingKeys: [settings.signingKey],
    outbound,
    assets: ownAssets(),
    kdcs: createKdcRemote(createTcp(outbound)),
    dispatcherTransport: transport,
    peerKeys: createPeerKeyRemote(transport),
    ...directoriesByPooledSockets(outbound),
    singleFlight: createSingleFlight(),
  });
  return { portal: createPortal(deps), deps, close: transport.close };
}
