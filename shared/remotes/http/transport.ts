/** What is sent; `deadlineMs` bounds the whole exchange, from the name look-up to the last byte of the body. */
export type TransportRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Absolute; checked against the address policy again at every call. */
  url: string;
  headers: Record<string, string>;
  body?: string | undefined;
  deadlineMs: number;
  /** Of the response body as it comes over the wire. */
  maxBytes?: number | undefined;
  /** PEM; replaces the public authorities for this peer. */
  ca?: string | undefined;
  verifyTls: boolean;
  /** The id of what is asked, for measurements. */
  concerns?: string | undefined;
  /** Ends the exchange early; the caller then sees the same fault as for a passed deadline. */
  signal?: AbortSignal | undefined;
};

/** Header names are lower case; repeated ones are joined by a comma; `set-cookie` is never among them. */
export type TransportResponse = { status: number; headers: Record<string, string>; text: string };

/** Facts of the certificate that a peer shows, whether or not it would be accepted; `not_after` is RFC 3339. */
export type CertificateFacts = { subject: string; issuer: string; not_after: string };

/** One way to speak HTTPS to a system outside; every runtime brings its own. */
export type Transport = {
  /** @throws TransportError for everything but an answer; any status but a redirect is an answer */
  send(request: TransportRequest): Promise<TransportResponse>;
  /** Absent where the runtime does not show certificates. @throws TransportError */
  inspect?(
    url: string,
    options: { deadlineMs: number; signal?: AbortSignal | undefined },
  ): Promise<CertificateFacts>;
};

export const defaultMaxBytes = 2 * 1024 * 1024;

/** Why a certificate or handshake was not accepted; `unknown` is all that some runtimes can tell. */
export type TlsReason =
  | 'expired'
  | 'not_yet_valid'
  | 'wrong_name'
  | 'self_signed'
  | 'unknown_ca'
  | 'unsupported_on_this_runtime'
  | 'unknown';

export type TransportReason =
  | 'timeout'
  | 'tls'
  | 'address_not_allowed'
  /** Refused, reset, cut off or without a known name. */
  | 'unreachable'
  | 'too_large'
  | 'redirect'
  /** Not the HTTP that was asked for: broken framing, or a content coding although `identity` was asked. */
  | 'malformed';

/** An exchange that ended without a usable answer. */
export class TransportError extends Error {
  readonly reason: TransportReason;
  /** Only with reason `tls`. */
  readonly tlsReason: TlsReason | undefined;
  /** The runtime's own code, for logs and diagnosis. */
  readonly code: string | undefined;

  constructor(
    reason: TransportReason,
    facts: { tlsReason?: TlsReason; code?: string } = {},
    options?: ErrorOptions,
  ) {
    super(`outbound request failed: ${facts.tlsReason ?? reason}`, options);
    this.name = 'TransportError';
    this.reason = reason;
    this.tlsReason = facts.tlsReason;
    this.code = facts.code;
  }
}
