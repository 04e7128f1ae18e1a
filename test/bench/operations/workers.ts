import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { bundleEntry } from '../../../shared/tooling/build/bundles.ts';
import { type Announced, bareVariables, freePorts, startPortal } from '../../e2e/support/portal-process.ts';
import type { StatementsSettings } from '../portal/statements-server.ts';
import type { Stand } from '../stand.ts';

export type Workers = { url: string; floorUrl: string; pid: number; stop(): Promise<void> };

/** The modules as Workers on the database of the stand, and beside them a bare Worker that runs the same statements. */
export async function startWorkers(
  stand: Stand,
  statements: StatementsSettings,
  folder: string,
): Promise<Workers> {
  const { settings } = stand;
  const caFile = join(folder, 'dispatchers.pem');
  await writeFile(caFile, await releaseAuthorities(settings.databaseUrl));
  const floorFile = join(folder, 'floor.js');
  await bundleEntry('test/bench/operations/statements-worker.ts', 'workers', floorFile);
  const floor = await stand.start('operations/workers-floor-server.ts', { ...statements, file: floorFile });
  const [port = 0, healthPort = 0] = await freePorts(2);
  const portal = await startPortal<Announced>({
    command: ['--disable-warning=ExperimentalWarning', 'shared/tooling/workers/workers.ts', '--json'],
    env: {
      ...bareVariables(folder, [port, healthPort]),
      DATABASE_URL: settings.databaseUrl,
      BASE_URL: settings.baseUrl,
      SECRET_KEY: settings.secretKey,
      AGGREGATOR_JWT_SSL_KEY: settings.signingKey,
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
async function releaseAuthorities(connectionString: string): Promise<string> {
  const database = new pg.Client({ connectionString });
  await database.connect();
  try {
    const { rows } = await database.query(
      'select distinct ca_certificate as pem from dispatchers where ca_certificate is not null',
    );
    await database.query('update dispatchers set ca_certificate = null');
    return rows.map(({ pem }) => pem).join('\n');
  } finally {
    await database.end();
  }
}
