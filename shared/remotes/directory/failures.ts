import { AppError, type ErrorCode, type ErrorMembers } from '../../kernel/errors.ts';
import type { Detail } from '../../messages/message.ts';
import { toTransportError } from '../http/faults.ts';
import { transportCodes } from '../http/problems.ts';
import { TransportError } from '../http/transport.ts';

/** LDAP result codes (RFC 4511, appendix A) of a failed search or of a failed bind of the search account. */
const refusals: Record<number, string> = {
  4: 'size_limit',
  8: 'encryption_required',
  13: 'encryption_required',
  18: 'bad_filter',
  32: 'no_such_base',
  34: 'no_such_base',
  48: 'account',
  49: 'account',
  50: 'not_permitted',
};

/** Errors of a single server (RFC 4511, appendix A.2): internal errors, limits, referrals, busy, unavailable. */
const ofServer = new Set([1, 3, 10, 11, 51, 52, 80]);

/**
 * Result codes for a password that is not accepted: wrong, or of a locked or disabled account. FreeIPA returns 53
 * (unwilling to perform) for a disabled and 19 (constraint violation) for a locked account.
 */
const rejections = new Set([19, 32, 48, 49, 50, 53]);

export const isRejection = (error: unknown): boolean => rejections.has(resultCode(error) ?? -1);

/** True if another server of the directory can be tried: this server has not verified a password. */
export const isOfServer = (error: unknown): boolean =>
  !(error instanceof AppError) && (isOfConnection(error) || ofServer.has(resultCode(error) ?? -1));

export const isOfConnection = (error: unknown): boolean => toTransportError(error) instanceof TransportError;

const details: Partial<Record<ErrorCode, Detail>> = {
  upstream_timeout: 'The directory did not respond in time',
  upstream_tls: 'The TLS connection to the directory failed',
  upstream_refused: 'The directory rejected the request',
  upstream_failed: 'The directory could not be queried',
};

/** @returns the AppError for a server or transport error; other errors unchanged */
export function fromDirectory(error: unknown): unknown {
  if (error instanceof AppError) return error;
  const code = resultCode(error);
  if (code !== undefined) {
    const reason = refusals[code] ?? 'directory_error';
    return failure(reason === 'account' ? 'upstream_refused' : 'upstream_failed', { reason }, error);
  }
  const fault = toTransportError(error);
  if (!(fault instanceof TransportError)) return error;
  const members = fault.reason === 'timeout' ? {} : { reason: fault.tlsReason ?? fault.reason };
  return failure(transportCodes[fault.reason], members, fault);
}

const failure = (code: ErrorCode, members: ErrorMembers, cause: unknown): AppError =>
  new AppError(code, details[code], members, { cause });

/** Protocol errors of the LDAP client have numeric codes; network errors have string codes. */
export const resultCode = (error: unknown): number | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'number' ? error.code : undefined;
