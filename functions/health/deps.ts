import type { Db } from '../../db/client.ts';
import type { Clock } from '../../shared/kernel/clock.ts';
import type { Log } from '../../shared/kernel/observability/log.ts';
import type { WriteWitness } from '../../shared/kernel/observability/write-witness.ts';
import type { Collectors } from './forwarder-state.ts';
import type { SystemSample } from './system.ts';

/** What the endpoints of the health port need. */
export type HealthDeps = {
  /** A connection of its own: probes and jobs that hold theirs must not delay an answer. */
  db: Db;
  /** Shown as the broker of the job queue, which is in the database; its password is not shown. */
  databaseUrl: string;
  /** Whose connection the health tells of; none unless given. */
  collectors?: Collectors;
  clock: Clock;
  log: Log;
  /** An absent key refuses everything. */
  accessKeys: {
    check: string | undefined;
    metrics: string | undefined;
    /** For monitors that send no headers: part of the path. */
    url: string | undefined;
  };
  /** Address of the portal, which has the pages about errors. */
  baseUrl: string;
  system: { latest(): SystemSample };
  /** Observes the writes of this process, and writes itself only if it observed none for a while. */
  writes: WriteWitness;
};

/** Milliseconds that an answer waits for the database, so that it is there within a second. */
export const patienceMs = 900;

/** Seconds after its last heartbeat during which a worker counts as alive. */
export const workerLivesS = 20;
