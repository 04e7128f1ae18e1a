import type { Db } from '../../../db/client.ts';
import { noteSilence, silentGateways } from '../../../db/repositories/gateways/heartbeats.ts';
import { gatewayRecord } from '../../../db/repositories/gateways/records.ts';
import { sweepTunnels } from '../../../db/repositories/gateways/sweep.ts';
import type { Clock } from '../../../shared/kernel/clock.ts';
import type { Task } from './process/agenda.ts';

/**
 * Reports gateways that no longer send heartbeats. The first heartbeat of a gateway that recovers is reported when it
 * arrives.
 */
export const gatewayJob = (db: Db, clock: Clock): Task => ({
  name: 'gateways',
  intervalMs: () => 5_000,
  changesAgenda: false,
  dueIn: ({ gateways }) => gateways,
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
export const tunnelSweepJob = (db: Db): Task => ({
  name: 'tunnel sweep',
  intervalMs: () => 30_000,
  changesAgenda: false,
  dueIn: ({ tunnels }) => tunnels,
  round: () => sweepTunnels(db),
});
