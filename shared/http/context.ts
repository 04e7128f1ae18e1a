import type { Db } from '../../db/client.ts';
import type { Scope } from '../../db/repositories/records/scope.ts';
import type { Principal, SignedIn } from '../access/principal.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Semaphore } from '../kernel/concurrency/semaphore.ts';
import type { Sealer } from '../kernel/crypto/sealing.ts';
import type { Log } from '../kernel/observability/log.ts';
import type { Telemetry } from '../kernel/observability/telemetry.ts';
import type { Parameters } from '../kernel/system-parameters.ts';
import type { Language } from '../messages/languages.ts';
import type { PortalType } from '../modules.ts';
import type { Invocation } from './invocation.ts';
import type { Compression } from './serve/compression.ts';

/** What every module needs; a module adds its own in `deps.ts`. */
export type BaseDeps = {
  db: Db;
  clock: Clock;
  log: Log;
  /** Seals secrets at rest. */
  sealer: Sealer;
  /** Seals what callers carry around: list cursors. */
  cursorSealer: Sealer;
  portalType: PortalType;
  /** `BASE_URL`. */
  baseUrl: string;
  /** Tests: an answer that differs from its declaration becomes an error. */
  checkAnswers: boolean;
  telemetry: Telemetry;
  /** Absent where the platform compresses. */
  compression?: Compression | undefined;
  /**
   * Compares the configured keys with those of the database, where that is not done before the process serves.
   * Undefined once it has passed; else a promise of what prevented it. @throws AppError `database_unavailable`
   */
  verifyKeys?: () => Promise<unknown> | undefined;
};

/** W3C Trace Context and our request id, as they are passed on to dispatchers. */
export type Trace = { requestId: string; traceparent: string };

/** All that a handler may use besides its input; nothing is ambient. */
export type Ctx<D = BaseDeps, P extends Principal = Principal> = {
  deps: D;
  principal: P;
  /** The system parameters, read in the round trip that found the principal; undefined where none was looked up. */
  parameters: P extends SignedIn ? Parameters : Parameters | undefined;
  /** The sites whose rows the operation may touch. */
  scope: Scope;
  /** The language of the texts of the answer. */
  language: Language;
  requestId: string;
  trace: Trace;
  client: Invocation['client'] & {
    userAgent: string;
    /** Accept-Language as it came. */
    accepted: string;
    /** A page of this portal sent the request. */
    isOwnPage: boolean;
  };
  /** The operation being served, its path as a template. */
  operation: { id: string; method: string; path: string };
  /** The token of `Authorization: Bearer`, by which machines without a session say who they are. */
  bearer: string | undefined;
  /** True when the caller names this media type in `Accept`. */
  accepts: (mediaType: string) => boolean;
  log: Log;
  now: Date;
  /** Ends when the client has gone, where the runtime tells. */
  gone: () => AbortSignal;
  background: Invocation['background'];
  /** What of one request may wait for answers from outside at once goes through here. */
  upstream: Semaphore;
  /** A write that nobody waits for; it takes its turn among the calls. */
  later: (write: () => PromiseLike<unknown>) => void;
};
