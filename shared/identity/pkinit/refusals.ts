import { AppError, type ErrorCode } from '../../kernel/errors.ts';

/**
 * KDC errors about the card or its holder (RFC 4120, 7.5.9; RFC 4556, 3.1.3). A specific code is used only if the KDC
 * error has no other meaning. Many KDCs return 24 or 31 for any error.
 */
const refusals: Readonly<Record<number, ErrorCode>> = {
  1: 'account_expired',
  6: 'invalid_credentials',
  18: 'account_disabled',
  23: 'password_expired',
  24: 'invalid_credentials',
  31: 'invalid_credentials',
  62: 'certificate_not_trusted',
  64: 'invalid_signature',
  66: 'certificate_mismatch',
  70: 'certificate_not_trusted',
  71: 'certificate_invalid',
  72: 'certificate_revoked',
  75: 'certificate_mismatch',
  77: 'certificate_wrong_purpose',
  90: 'login_expired',
};

/**
 * The meaning of code 18 or 23 in Active Directory (NTSTATUS: MS-ERREF, 2.3.1): disabled, expired, out of hours, or
 * locked.
 */
const statuses: Readonly<Record<number, ErrorCode>> = {
  3221225582: 'account_restricted',
  3221225583: 'account_restricted',
  3221225584: 'account_restricted',
  3221225585: 'password_expired',
  3221225586: 'account_disabled',
  3221225875: 'account_expired',
  3221226020: 'password_expired',
  3221226036: 'account_locked',
};

/**
 * Errors that a KDC can return before it has accepted the card. They would reveal which accounts exist, so only holders
 * of a card from a trusted authority receive them.
 */
const toHoldersOnly = new Set([1, 6, 18, 23, 62, 70]);

/** Errors of the realm, not of the card. */
const faults: Readonly<Record<number, string>> = {
  14: 'algorithms',
  16: 'no_pkinit',
  37: 'clock_skew',
  65: 'algorithms',
  68: 'wrong_realm',
  73: 'revocation_unknown',
  74: 'revocation_unknown',
  100: 'algorithms',
};

/** The error code for a KRB-ERROR and its NTSTATUS. `isHolder`: the certificate of the card is from a trusted authority. */
export async function refusalOf(
  { code, status = 0 }: { code: number; status?: number | undefined },
  isHolder: () => Promise<boolean>,
): Promise<ErrorCode | AppError> {
  const general = refusals[code];
  const refusal = general && toHoldersOnly.has(code) ? (statuses[status] ?? general) : general;
  if (!refusal) {
    const reason = faults[code] ?? 'refused';
    return new AppError('upstream_refused', 'The KDC of the domain rejected the request', { reason });
  }
  return !toHoldersOnly.has(code) || (await isHolder()) ? refusal : 'invalid_credentials';
}
