import type { Db } from '../../../db/client.ts';
import { noteSilence, silentGateways } from '../../../db/repositories/gateways/heartbeats.ts';
import { gatewayRecord } from '../../../db/repositories/gateways/records.ts';
import { sweepTunnels } from '../../../db/repositories/gateways/sweep.ts';
import type { Clock } from '../../../shared/kernel/clock.ts';
import type { Job } from './process/loop.ts';

/** Tells of gateways whose heartbeats have ended; that they come again is told by the first of them. */
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

/** Ends tunnels that were not reported as ended although other reports or the time show that they are over. */
export const tunnelSweepJob = (db: Db): Job => ({
  name: 'tunnel sweep',
  intervalMs: () => 30_000,
  round: () => sweepTunnels(db),
});
