import type { BaseDeps, Client, ClientCtx } from '../context/context.ts';
import type { Principal } from '../context/principal.ts';
import type { Invocation } from './invocation.ts';
import type { Compression } from './serve/compression.ts';

/** What serving needs besides the dependencies of a module. */
export type HttpDeps = BaseDeps & {
  /** Tests: an answer that differs from its declaration becomes an error. */
  checkAnswers: boolean;
  /** Absent where the platform compresses. */
  compression?: Compression | undefined;
  /**
   * Compares the configured keys with those of the database, where that is not done before the process serves.
   * Undefined once it has passed; else a promise of what prevented it. @throws AppError `database_unavailable`
   */
  verifyKeys?: () => Promise<unknown> | undefined;
};

/** The context of a request: what a handler, or a use case that concerns HTTP itself, may use besides. */
export type RequestCtx<D = BaseDeps, P extends Principal = Principal> = ClientCtx<D, P> & {
  client: Client &
    Invocation['client'] & {
      /** Accept-Language as it came. */
      accepted: string;
      /** True if a page of this portal sent the request. */
      isOwnPage: () => boolean;
    };
  /** The operation being served, its path as a template. */
  operation: { id: string; method: string; path: string };
  /** The token of `Authorization: Bearer`, which proves machines without a session. */
  bearer: string | undefined;
  /** True when the caller names this media type in `Accept`. */
  accepts: (mediaType: string) => boolean;
  /** Aborted when the client has closed the connection, where the runtime reports that. */
  gone: () => AbortSignal;
};
