import { logOutEndedKeys } from '../../../shared/sites/calls/key-log-outs.ts';
import type { Task } from './process/agenda.ts';

/** Ends the session keys of users whose access has ended. Each key is ended on the node that issued it. */
export const keyLogOutJob = (deps: Parameters<typeof logOutEndedKeys>[0]): Task => ({
  name: 'key log-outs',
  intervalMs: () => 2_000,
  dueIn: ({ ended_keys }) => ended_keys,
  round: async (signal) => {
    await logOutEndedKeys(deps, signal);
  },
});
