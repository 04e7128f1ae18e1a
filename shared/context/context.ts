import type { Db } from '../../db/client.ts';
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
import type { Trace } from './trace.ts';

/** What every module needs; a module adds its own in `deps.ts`. */
export type BaseDeps = {
  db: Db;
  clock: Clock;
  log: Log;
  /** Seals secrets at rest. */
  sealer: Sealer;
  /** Seals list cursors, which callers keep between two requests. */
  cursorSealer: Sealer;
  portalType: PortalType;
  /** `BASE_URL`. */
  baseUrl: string;
  telemetry: Telemetry;
};

/** The program that sent a request. */
export type Client = {
  /** The address as the runtime determined it. */
  ip: string;
  /** `User-Agent`, at most 512 characters; empty if absent. */
  userAgent: string;
};

/**
 * All that a use case may use besides its input; nothing is ambient. It is the same for a request, a job and a command of
 * an operator: HTTP adds what only a request has (`RequestCtx`).
 */
export type Ctx<D = BaseDeps, P extends Principal = Principal> = {
  deps: D;
  principal: P;
  /**
   * The system parameters as they were read with the principal. Where none was looked up, as this process last read them,
   * at most 5 seconds ago.
   */
  parameters: Parameters;
  /** The sites whose rows the operation may touch. */
  scope: Scope;
  /** The language of texts for the reader. */
  language: Language;
  requestId: string;
  trace: Trace;
  /** Undefined for a job, which has no client. */
  client: Client | undefined;
  /** The operation or job at work. Only a request has a method and a path, which is a template. */
  operation: { id: string; method?: string; path?: string };
  log: Log;
  now: Date;
  /** Work that continues after the answer. */
  background: (work: Promise<unknown>) => void;
  /** Limits how many calls of other systems wait at the same time. */
  upstream: Semaphore;
  /** A write that the answer does not wait for; it takes a slot of `upstream`. */
  later: (write: () => PromiseLike<unknown>) => void;
};

/** The context of work that a client has asked for. */
export type ClientCtx<D = BaseDeps, P extends Principal = Principal> = Ctx<D, P> & { client: Client };
