import { logOutEndedKeys } from '../../../shared/sites/calls/key-log-outs.ts';
import type { Job } from './process/loop.ts';

/** Ends the session keys of users whose access has ended. Each key is ended on the node that issued it. */
export const keyLogOutJob = (deps: Parameters<typeof logOutEndedKeys>[0]): Job => ({
  name: 'key log-outs',
  intervalMs: () => 2_000,
  round: async (signal) => {
    await logOutEndedKeys(deps, signal);
  },
});
