import type { Db } from '../../db/client.ts';
import type { Replica } from '../../db/replica/replica.ts';
import type { Clock } from '../../shared/kernel/clock.ts';
import type { Log } from '../../shared/kernel/observability/log.ts';
import type { WriteMonitor } from '../../shared/kernel/observability/write-monitor.ts';
import type { Collectors } from './forwarder-state.ts';
import type { SystemSample } from './system-sampler.ts';

/** Dependencies of the endpoints of the health port. */
export type HealthDeps = {
  /** A separate connection, so that probes and jobs cannot delay responses. */
  db: Db;
  /** Answers metrics, if there is one. */
  replica?: Replica | undefined;
  /** Reported as the broker of the job queue, without its password. */
  databaseUrl: string;
  /** Log collectors whose connection is part of the health report. */
  collectors?: Collectors;
  clock: Clock;
  log: Log;
  /** Without a key, the endpoint rejects every request. */
  accessKeys: {
    check: string | undefined;
    metrics: string | undefined;
    /** Part of the path, for monitors that cannot send headers. */
    url: string | undefined;
  };
  /** Address of the portal, which has the pages about errors. */
  baseUrl: string;
  system: { latest(): SystemSample };
  /** Tracks the writes of this process; if there were none recently, makes a test write. */
  writes: WriteMonitor;
  rest: RestState;
};

/** While the sidecar rests (`DATABASE_MAY_SUSPEND`), responses come from memory. */
export type RestState = {
  isResting(): boolean;
  /** Reads that fill a cache before each rest. */
  beforeRest(prepare: () => Promise<unknown>): void;
};

/** Milliseconds a response waits for the database, so that it is sent within one second. */
export const patienceMs = 800;

/** Seconds a worker counts as alive after its last heartbeat. Heartbeats are sent every ten seconds. */
export const workerLivesS = 30;
