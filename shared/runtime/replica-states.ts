import type { ReplicaState } from '../../db/replica/replica.ts';
import type { Log } from '../kernel/observability/log.ts';

/** Logs when reads no longer go to the replica, and when they do again. */
export const loggedStates =
  (log: Pick<Log, 'info' | 'warn'>) =>
  (state: ReplicaState, error?: unknown): void =>
    state === 'used'
      ? log.info('the read replica is used again')
      : log.warn('the read replica is not used', { replica: state, ...(error !== undefined && { error }) });
