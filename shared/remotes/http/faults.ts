import { type TlsReason, TransportError, type TransportReason } from './transport.ts';

/** Codes of OpenSSL and Node. Other X.509 or handshake codes become `unknown`. */
const tlsReasons: Record<string, TlsReason> = {
  CERT_HAS_EXPIRED: 'expired',
  CERT_NOT_YET_VALID: 'not_yet_valid',
  ERR_TLS_CERT_ALTNAME_INVALID: 'wrong_name',
  HOSTNAME_MISMATCH: 'wrong_name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'self_signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'unknown_ca',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'unknown_ca',
  UNABLE_TO_GET_ISSUER_CERT: 'unknown_ca',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'unknown_ca',
  CERT_UNTRUSTED: 'unknown_ca',
};

/** @returns the reason of an error code of a rejected certificate */
export const tlsReasonOf = (code: string): TlsReason => tlsReasons[code] ?? 'unknown';

const otherTlsCodes =
  /^(ERR_SSL_|ERR_TLS_|CERT_|CRL_|UNABLE_TO_|ERROR_IN_C|(INVALID_PURPOSE|INVALID_CA|EPROTO|PATH_LENGTH_EXCEEDED)$)/;

const reasons: Record<string, TransportReason> = {
  ABORT_ERR: 'timeout',
  ETIMEDOUT: 'timeout',
  UND_ERR_ABORTED: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_OVERFLOW: 'too_large',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'too_large',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'malformed',
};

/** Codes for invalid requests. These errors are not converted and result in `internal`. */
const programmingErrors = /^(UND_ERR_INVALID_|UND_ERR_NOT_SUPPORTED|ERR_INVALID_)/;

/**
 * Converts a network error to a `TransportError` by its code, never by its message.
 * @returns a `TransportError`, or the unchanged error if it is a programming error
 */
export function toTransportError(error: unknown): unknown {
  for (const link of chainOf(error)) {
    if (link instanceof TransportError) return link;
    const fault = fromCode(link);
    if (fault) return new TransportError(fault.reason, fault, { cause: error });
  }
  return error;
}

type TransportFault = { reason: TransportReason; tlsReason?: TlsReason; code: string };

function fromCode(error: Error): TransportFault | undefined {
  const code: unknown = 'code' in error ? error.code : undefined;
  if (typeof code !== 'string' || programmingErrors.test(code)) return undefined;
  const tlsReason = tlsReasons[code] ?? (otherTlsCodes.test(code) ? 'unknown' : undefined);
  if (tlsReason) return { reason: 'tls', tlsReason, code };
  if (code.startsWith('HPE_')) return { reason: 'malformed', code };
  return { reason: reasons[code] ?? 'unreachable', code };
}

/** The error and its causes, at most five: a chain of causes may be circular. */
function chainOf(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let link = error; link instanceof Error && chain.length < 5; link = link.cause) chain.push(link);
  return chain;
}
