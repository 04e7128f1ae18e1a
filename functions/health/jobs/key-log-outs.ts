import { logOutEndedKeys } from '../../../shared/sites/calls/key-log-outs.ts';
import type { Job } from './process/loop.ts';

/** Logs out, on their nodes, the keys of users who lost access. */
export const keyLogOutJob = (deps: Parameters<typeof logOutEndedKeys>[0]): Job => ({
  name: 'key log-outs',
  intervalMs: () => 2_000,
  round: async (signal) => {
    await logOutEndedKeys(deps, signal);
  },
});
