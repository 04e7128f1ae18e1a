import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { findBinaries } from '../../../shared/tooling/start/throwaway-postgres.ts';
import { createApi } from '../../e2e/support/api.ts';
import { base, startPortalOn } from '../../support/database/stand.ts';
import { startReplicated } from '../../support/replication/replicated.ts';
import { requireService } from '../../support/services.ts';

requireService('PostgreSQL', findBinaries() !== undefined)('npm start with a read replica', () => {
  it('reads lists and metrics there, by the portal and by the sidecar', async () => {
    const replicated = await startReplicated();
    const { address } = replicated.primary;
    const metricsKey = 'key-of-the-metrics';
    try {
      const portal = await startPortalOn(address, {
        DATABASE_READ_URL: replicated.onStandby(address.url),
        DATABASE_SIDECAR_READ_URL: replicated.onStandby(address.sidecarUrl),
        METRICS_ACCESS_KEY: metricsKey,
      });
      try {
        const { api, token } = portal;
        const readers = async (): Promise<string[]> => {
          const list = await api.send(`GET ${base}/sites`, { token });
          expect(list.status).toBe(200);
          const { rows } = await replicated.standbyAdmin.query<{ name: string }>(
            `select distinct application_name as name from pg_stat_activity
              where application_name like 'aggregator-%' order by 1`,
          );
          return rows.map(({ name }) => name);
        };
        const health = createApi(portal.healthUrl, readFileSync(portal.announcement.ca_file, 'utf8'));
        const authorization = `Token ${metricsKey}`;
        const metrics = await health.send('GET /aggregator/health/metrics', { headers: { authorization } });
        await health.close();
        expect([metrics.status, metrics.body]).toEqual([
          200,
          expect.stringContaining('aggregator_dispatcher_up'),
        ]);
        const both = expect.arrayContaining(['aggregator-portal', 'aggregator-sidecar']);
        await expect.poll(readers, { timeout: 30_000 }).toEqual(both);
      } finally {
        await portal.stop();
      }
    } finally {
      await replicated.stop();
    }
  }, 120_000);
});
