import type { Db } from '../../db/client.ts';
import type { Replica } from '../../db/replica/replica.ts';
import type { Scope } from '../../db/repositories/records/scope.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Semaphore } from '../kernel/concurrency/semaphore.ts';
import type { Sealer } from '../kernel/crypto/sealing.ts';
import type { Log } from '../kernel/observability/log.ts';
import type { Telemetry } from '../kernel/observability/telemetry.ts';
import type { Parameters } from '../kernel/system-parameters.ts';
import type { Language } from '../messages/languages.ts';
import type { PortalType } from '../modules.ts';
import type { Principal } from './principal.ts';
import type { ProcessMemory } from './process-memory.ts';
import type { Trace } from './trace.ts';

/** Dependencies of every module. A module adds its own ones in `deps.ts`. */
export type BaseDeps = {
  db: Db;
  /** For reads that may see older data. */
  replica?: Replica | undefined;
  clock: Clock;
  log: Log;
  /** Encrypts secrets at rest. */
  sealer: Sealer;
  /** Encrypts list cursors, which callers keep between two requests. */
  cursorSealer: Sealer;
  portalType: PortalType;
  /** `BASE_URL`. */
  baseUrl: string;
  telemetry: Telemetry;
  memory: ProcessMemory;
};

/** The program that sent a request. */
export type Client = {
  /** The IP address as determined by the runtime. */
  ip: string;
  /** `User-Agent`, at most 512 characters; empty if absent. */
  userAgent: string;
};

/**
 * Everything that a use case can access besides its input; there is no ambient state. Requests, jobs and commands of
 * operators use the same type. HTTP adds the members of a request (`RequestCtx`).
 */
export type Ctx<D = BaseDeps, P extends Principal = Principal> = {
  deps: D;
  principal: P;
  /**
   * The system parameters, read together with the principal. If no principal was looked up, the values are those that
   * this process read last, at most 5 seconds ago.
   */
  parameters: Parameters;
  /** The sites whose rows the operation can access. */
  scope: Scope;
  /** The language of the texts for the user. */
  language: Language;
  requestId: string;
  trace: Trace;
  /** Undefined for a job, which has no client. */
  client: Client | undefined;
  /** The current operation or job. Only a request has a method and a path; the path is a template. */
  operation: { id: string; method?: string; path?: string };
  log: Log;
  now: Date;
  /** Runs work that continues after the response. */
  background: (work: Promise<unknown>) => void;
  /** The response waits for work in the background, because the runtime stops with it. Default false. */
  stopsWithResponse?: boolean | undefined;
  /** Semaphore for concurrent calls to other systems. */
  upstream: Semaphore;
  /** The version of a record that the write restores, for its audit event. */
  restoredVersion?: string;
  /** Starts a write that does not delay the response. It takes a slot of `upstream`. */
  later: (write: () => PromiseLike<unknown>) => void;
};

/** The context of work that a client has requested. */
export type ClientCtx<D = BaseDeps, P extends Principal = Principal> = Ctx<D, P> & { client: Client };
