/** A request. `deadlineMs` limits the whole exchange, from name resolution to the last byte of the body. */
export type TransportRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Absolute; checked against the address policy at every call. */
  url: string;
  headers: Record<string, string>;
  body?: string | undefined;
  deadlineMs: number;
  /** Maximum size of the response body as transferred. */
  maxBytes?: number | undefined;
  /** PEM; replaces the public certificate authorities for this peer. */
  ca?: string | undefined;
  verifyTls: boolean;
  /** Id of the called object, for metrics. */
  concerns?: string | undefined;
  /** Aborts the exchange; the error is the same as for a passed deadline. */
  signal?: AbortSignal | undefined;
  /** Returns a redirect as a response, with its cookies. It is never followed. Default: a redirect is an error. */
  returnsRedirects?: boolean | undefined;
  /**
   * Takes the body in parts as they arrive, at most `maxBytes` in total; `text` of the response is then empty. Called
   * only if the status is 200. An error that it throws ends the exchange.
   */
  onText?: ((part: string) => void) | undefined;
};

/** Header names are in lower case; repeated headers are joined by commas; `set-cookie` is omitted. */
export type TransportResponse = {
  status: number;
  headers: Record<string, string>;
  text: string;
  /** Values of `set-cookie`, present only with `returnsRedirects`. */
  cookies?: string[] | undefined;
};

/** Data of the peer certificate, valid or not; `not_after` is RFC 3339. */
export type CertificateFacts = Record<
  'subject' | 'issuer' | 'not_before' | 'not_after' | 'fingerprint',
  string
>;

/** A certificate as a TLS server presents it. Texts have no control characters; times are RFC 3339. */
export type PresentedCertificate = {
  subject: string;
  issuer: string;
  /** Host names and addresses that the certificate is valid for. */
  names: string[];
  not_before: string;
  not_after: string;
  /** SHA-256 of the certificate in upper-case hexadecimal pairs with colons. */
  fingerprint: string;
  is_authority: boolean;
  is_self_signed: boolean;
  pem: string;
};

type ExaminedStep = 'lookup' | 'address' | 'connection';

/** How far a connection to a TLS server gets, whether its certificate is trusted or not. No data is sent. */
export type Examination = {
  /** The step that failed; null if the handshake succeeded. */
  failed: ExaminedStep | null;
  /** The allowed addresses that the name resolves to. */
  addresses: string[];
  /** Duration of the name resolution in milliseconds. */
  lookupMs: number;
  /** Null without a handshake. The certificate of the server is the first in the chain. */
  tls: { protocol: string; chain: PresentedCertificate[]; faults: TlsReason[] } | null;
};

/** @property ca PEM of the authorities in place of the public ones */
export type ExaminationOptions = {
  ca?: string | undefined;
  deadlineMs: number;
  signal?: AbortSignal | undefined;
};

/** An HTTPS client; each runtime has its own implementation. */
export type Transport = {
  /** @throws TransportError unless there is a response; every status except a redirect is a response */
  send(request: TransportRequest): Promise<TransportResponse>;
  /** Absent if the runtime does not expose certificates. @throws TransportError */
  inspect?(
    url: string,
    options: { deadlineMs: number; signal?: AbortSignal | undefined },
  ): Promise<CertificateFacts>;
  /** Absent if the runtime has no access to connections. @throws TransportError `address_not_allowed` for a literal address */
  examine?(url: string, options: ExaminationOptions): Promise<Examination>;
};

export const defaultMaxBytes = 2 * 1024 * 1024;

/** Reason of a rejected certificate or failed handshake. Some runtimes only report `unknown`. */
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
  /** Refused, reset, aborted, or the name does not resolve. */
  | 'unreachable'
  | 'too_large'
  | 'redirect'
  /** Invalid HTTP: broken framing, or a content coding although `identity` was requested. */
  | 'malformed';

/** An exchange without a usable response. */
export class TransportError extends Error {
  readonly reason: TransportReason;
  /** Only with reason `tls`. */
  readonly tlsReason: TlsReason | undefined;
  /** The error code of the runtime, for logs. */
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
