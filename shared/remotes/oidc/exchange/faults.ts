import {
  AuthorizationResponseError,
  JSON_ATTRIBUTE_COMPARISON,
  JWT_CLAIM_COMPARISON,
  JWT_TIMESTAMP_CHECK,
  OperationProcessingError,
  RESPONSE_IS_NOT_CONFORM,
  RESPONSE_IS_NOT_JSON,
  ResponseBodyError,
  UnsupportedOperationError,
  WWWAuthenticateChallengeError,
} from 'oauth4webapi';
import { TransportError } from '../../http/transport.ts';
import { type OidcEndpoint, OidcError, type OidcReason } from '../port.ts';

/**
 * Runs a step of an operation and converts its errors. Errors of the library contain tokens in their causes, so they
 * are not attached.
 * @param endpoint what the step asks
 * @param otherwise the reason of an answer that is not valid
 * @throws OidcError
 */
export async function converting<T>(
  endpoint: OidcEndpoint,
  otherwise: OidcReason,
  step: () => Promise<T>,
): Promise<T> {
  try {
    return await step();
  } catch (error) {
    const fault = faultOf(error, otherwise);
    throw fault instanceof OidcError ? fault.at(endpoint) : fault;
  }
}

function faultOf(error: unknown, otherwise: OidcReason): unknown {
  if (error instanceof OidcError) return error;
  if (error instanceof TransportError) return transportFault(error, otherwise);
  if (error instanceof AuthorizationResponseError)
    return new OidcError('refused', { ...codeOf(error.error), endpoint: 'authorization' });
  if (error instanceof ResponseBodyError) return new OidcError('refused', codeOf(error.error));
  if (error instanceof WWWAuthenticateChallengeError) return new OidcError('refused', challengeOf(error));
  if (error instanceof OperationProcessingError) return processingFault(error, otherwise);
  return error instanceof UnsupportedOperationError ? new OidcError(otherwise) : error;
}

const transportReasons: Partial<Record<TransportError['reason'], OidcReason>> = {
  address_not_allowed: 'address_not_allowed',
  timeout: 'unreachable',
  tls: 'unreachable',
  unreachable: 'unreachable',
};

const transportFault = ({ reason, tlsReason }: TransportError, otherwise: OidcReason): OidcError =>
  new OidcError(
    transportReasons[reason] ?? (otherwise === 'token_invalid' ? 'invalid_response' : otherwise),
    {
      transport: tlsReason === undefined ? reason : `${reason}:${tlsReason}`,
    },
  );

/** The characters of error codes of RFC 6749, without those that could confuse a reader of a log. */
const safeCode = /^[a-z0-9_.-]{1,64}$/i;

const codeOf = (code: unknown): { providerCode?: string } =>
  typeof code === 'string' && safeCode.test(code) ? { providerCode: code.toLowerCase() } : {};

/** A failed client authentication may be reported by a header only (RFC 6749, 5.2). */
function challengeOf({ status, cause }: WWWAuthenticateChallengeError): { providerCode?: string } {
  const [first] = cause;
  const named = codeOf(first?.parameters.error);
  return named.providerCode === undefined && status === 401 ? { providerCode: 'invalid_client' } : named;
}

const claimReasons: Readonly<Record<string, OidcReason>> = {
  iss: 'issuer_mismatch',
  nonce: 'nonce_mismatch',
};

/** Attributes of answers that the library compares. */
const attributeReasons: Readonly<Record<string, OidcReason>> = {
  issuer: 'issuer_mismatch',
  sub: 'subject_mismatch',
};

/**
 * An answer without tokens, such as the error page of a provider that does not work. A 400 is about this request alone:
 * Glewlwyd refuses a revoked token so, without a body.
 */
const isErrorPage = (code: string | undefined, cause: unknown): boolean =>
  (code === RESPONSE_IS_NOT_CONFORM || code === RESPONSE_IS_NOT_JSON) &&
  !(cause instanceof Response && cause.status === 400);

function processingFault({ code, cause }: OperationProcessingError, otherwise: OidcReason): OidcError {
  if (code === JSON_ATTRIBUTE_COMPARISON)
    return new OidcError(attributeReasons[memberOf(cause, 'attribute') ?? ''] ?? otherwise);
  const isClaim = code === JWT_CLAIM_COMPARISON || code === JWT_TIMESTAMP_CHECK;
  const claim = isClaim ? memberOf(cause, 'claim') : undefined;
  if (claim !== undefined) return new OidcError(claimReasons[claim] ?? 'token_invalid', { claim });
  if (otherwise === 'token_invalid' && isErrorPage(code, cause)) return new OidcError('invalid_response');
  return new OidcError(otherwise);
}

function memberOf(value: unknown, name: string): string | undefined {
  const member = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  return typeof member === 'string' ? member : undefined;
}
