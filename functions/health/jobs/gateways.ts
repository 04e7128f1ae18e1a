import type { Db } from '../../../db/client.ts';
import { noteSilence, silentGateways } from '../../../db/repositories/gateways/heartbeats.ts';
import { gatewayRecord } from '../../../db/repositories/gateways/records.ts';
import { sweepTunnels } from '../../../db/repositories/gateways/sweep.ts';
import type { Clock } from '../../../shared/kernel/clock.ts';
import type { Job } from './process/loop.ts';

/**
 * Reports gateways that no longer send heartbeats. The first heartbeat of a gateway that recovers is reported when it
 * arrives.
 */
export const gatewayJob = (db: Db, clock: Clock): Job => ({
  name: 'gateways',
  intervalMs: () => 15_000,
  round: async () => {
    const silent = await silentGateways(db);
    const news = silent.map((gateway) => ({
      id: gateway.id,
      record: gatewayRecord(gateway, 'fail', clock()),
    }));
    await noteSilence(db, news);
  },
});

/** Ends tunnels whose end was not reported, but follows from other reports or from the elapsed time. */
export const tunnelSweepJob = (db: Db): Job => ({
  name: 'tunnel sweep',
  intervalMs: () => 30_000,
  round: () => sweepTunnels(db),
});
