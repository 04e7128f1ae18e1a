import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { bundleEntry } from '../../../shared/tooling/build/bundles.ts';
import { type Announced, bareVariables, freePorts, startPortal } from '../../e2e/support/portal-process.ts';
import type { WorkerFloorSettings } from '../floors/worker-server.ts';
import { addressVariables } from '../product/product.ts';
import type { ProductStand } from '../product/stand.ts';

export type Workers = { url: string; floorUrl: string; pid: number; stop(): Promise<void> };

/** The modules as Workers on the database of the stand, and beside them a bare Worker as their floor. */
export async function startWorkers(stand: ProductStand, folder: string): Promise<Workers> {
  const { admin, address, url, keys, start } = stand;
  const caFile = join(folder, 'dispatchers.pem');
  await writeFile(caFile, await releaseAuthorities(admin));
  const file = join(folder, 'floor.js');
  await bundleEntry('test/bench/floors/worker.ts', 'workers', file);
  const settings: WorkerFloorSettings = { databaseUrl: address.url, file };
  const floor = await start('floors/worker-server.ts', settings);
  const [port = 0, healthPort = 0] = await freePorts(2);
  const portal = await startPortal<Announced>({
    command: ['--disable-warning=ExperimentalWarning', 'shared/tooling/workers/workers.ts', '--json'],
    log: join(folder, 'log'),
    env: {
      ...bareVariables(folder, [port, healthPort]),
      ...addressVariables(address),
      ...keys,
      BASE_URL: url,
      NODE_EXTRA_CA_CERTS: caFile,
      LOG_LEVEL: 'info',
    },
  });
  return {
    url: `http://localhost:${port}`,
    floorUrl: floor.url,
    pid: portal.announcement.pid,
    stop: async () => void (await portal.stop()),
  };
}

/**
 * A Worker cannot be given the certificate authority of a dispatcher; its runtime trusts it instead.
 * @returns all, PEM
 */
async function releaseAuthorities(admin: pg.Pool): Promise<string> {
  const { rows } = await admin.query(
    'select distinct ca_certificate as pem from dispatchers where ca_certificate is not null',
  );
  await admin.query('update dispatchers set ca_certificate = null');
  return rows.map(({ pem }) => pem).join('\n');
}
