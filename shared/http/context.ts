import type { TokenKind } from '../../db/repositories/identity/login/live-principals.ts';
import type { BaseDeps, Client, ClientCtx } from '../context/context.ts';
import type { Principal } from '../context/principal.ts';
import type { Invocation } from './invocation.ts';
import type { Compression } from './serve/compression.ts';

/** Dependencies of the HTTP layer besides those of a module. */
export type HttpDeps = BaseDeps & {
  /** Set in tests: a response that does not match its declaration is an error. */
  checkAnswers: boolean;
  /** Absent if the platform compresses responses. */
  compression?: Compression | undefined;
  /**
   * Compares the configured keys with those of the database, if this is not done before the process serves requests.
   * Returns undefined after a successful check, otherwise a promise of the reason why the check was not possible.
   * @throws AppError `database_unavailable`
   */
  verifyKeys?: () => Promise<unknown> | undefined;
};

/** The context of a request, for handlers and for use cases that concern HTTP. */
export type RequestCtx<D = BaseDeps, P extends Principal = Principal> = ClientCtx<D, P> & {
  client: Client &
    Invocation['client'] & {
      /** The header Accept-Language as sent. */
      accepted: string;
      /** True if a page of this portal sent the request. */
      isOwnPage: () => boolean;
      cookies: () => ReadonlyMap<string, string>;
    };
  /** The operation of the request. The path is a template. */
  operation: { id: string; method: string; path: string };
  /** The token of `Authorization: Bearer`, with which machines authenticate without a session. */
  bearer: string | undefined;
  /** True if the header `Accept` contains this media type. */
  accepts: (mediaType: string) => boolean;
  /** The token of the session, for a stream that ends with it. Undefined without a session. */
  watchedToken: () => { hash: string; kind: TokenKind } | undefined;
  /** The header Last-Event-ID of a client that continues a stream of server-sent events. */
  lastEventId: string | undefined;
  /** Aborts when the client closes the connection, if the runtime reports this. */
  gone: () => AbortSignal;
};
