import type { Db } from '../../../db/client.ts';
import { dispatchers } from '../../../db/schema/sites/dispatchers.ts';
import { farms } from '../../../db/schema/sites/farms.ts';
import { sites } from '../../../db/schema/sites/sites.ts';
import { createSigningKeys } from '../../../shared/access/signing-keys.ts';
import { createSealer } from '../../../shared/kernel/crypto/sealing.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { startFleet } from '../../simulator/fleet.ts';
import { secretKey, signingKey } from '../processes/sidecar-process.ts';

/** Simulated sites with one farm of one node each, which answer health checks and lists. */
export type HealthyFleet = {
  /** Adds the sites to a database of a sidecar with the keys of the tests. */
  register(db: Db): Promise<void>;
  close(): Promise<void>;
};

const issuer = 'https://localhost:8443';
const domains = [
  { authUuid: '0f0e7f6c-5d3c-4a64-9d0c-2b8f2a2f7d11', authSmallName: 'CORP', auth: 'Corporation' },
];

export async function startHealthyFleet(count: number, workplacesPerFarm = 10): Promise<HealthyFleet> {
  const keys = await createSigningKeys([signingKey], issuer);
  const plan = {
    sites: count,
    farmsPerSite: 1,
    workplacesPerFarm,
    domains,
    issuer,
    jwks: async () => keys.jwks,
  };
  const nodes = (await startFleet(plan)).map(({ simulator }) => simulator);
  return {
    register: async (db) => {
      const sealer = await createSealer([secretKey]);
      const named = nodes.map(({ name }) => ({ id: newId(), name, name_key: name }));
      await db.insert(sites).values(named.map((row) => ({ ...row, uri: row.name })));
      await db.insert(farms).values(named.map((row) => ({ ...row, site_id: row.id })));
      const rows = nodes.map(async ({ url, caPem, healthKey }, n) => {
        const { id = '', ...row } = named[n] ?? { name: '', name_key: '' };
        const health_key = await sealer.seal(healthKey, {
          table: 'dispatchers',
          row: id,
          column: 'health_key',
        });
        return { ...row, id, farm_id: id, url, ca_certificate: caPem, health_key };
      });
      await db.insert(dispatchers).values(await Promise.all(rows));
    },
    close: async () => {
      await Promise.all(nodes.map((node) => node.close()));
    },
  };
}
