import { Control, PasswordPolicyControl } from 'ldapts';
import { resultCode } from './failures.ts';

/** Reason of a rejected password. */
export type RefusalReason =
  | 'wrong_password'
  | 'hours'
  | 'workstation'
  | 'expired_password'
  | 'disabled'
  | 'account_expired'
  | 'must_change'
  | 'locked'
  | 'unknown_user';

/**
 * The result of a password check: accepted; correct, but it must be changed first; or refused, with the reason if the
 * directory reports one.
 */
export type PasswordVerdict =
  | { verdict: 'accepted' }
  | { verdict: 'expired'; reason: RefusalReason }
  | { verdict: 'refused'; reason: RefusalReason | undefined };

/** Sub-codes of Active Directory in the message of result 49: hexadecimal Windows error codes. */
const subCodes: Readonly<Record<string, RefusalReason>> = {
  '525': 'unknown_user',
  '52e': 'wrong_password',
  '530': 'hours',
  '531': 'workstation',
  '532': 'expired_password',
  '533': 'disabled',
  '701': 'account_expired',
  '773': 'must_change',
  '775': 'locked',
};

/** Errors of the password policy control (draft-behera-ldap-password-policy, section 6.2). */
const policyErrors: Readonly<Record<number, RefusalReason>> = {
  0: 'expired_password',
  1: 'locked',
  2: 'must_change',
};

/** Reasons that are reported only for a correct password. */
const correctPasswordReasons: ReadonlySet<RefusalReason | undefined> = new Set([
  'expired_password',
  'must_change',
]);

/**
 * A response control that servers send without a request control. The LDAP client parses a response control only if
 * the request has a control of its type, so this one is added to the request but writes nothing.
 */
class UnsolicitedControl extends Control {
  isPresent = false;

  override write(): void {
    this.isPresent = false;
  }

  override parse(): void {
    this.isPresent = true;
  }
}

/** Request controls of one bind, and the reason in the response controls. */
export function bindControls() {
  const policy = new PasswordPolicyControl();
  const expired = new UnsolicitedControl('2.16.840.1.113730.3.4.4');
  return {
    controls: [policy, expired],
    reason: (): RefusalReason | undefined => {
      const error = policy.value?.error;
      const responseReason = error === undefined ? undefined : policyErrors[error];
      return responseReason ?? (expired.isPresent ? 'expired_password' : undefined);
    },
  };
}

/** @param responseReason reason from the response controls */
export function verdictOfAccepted(responseReason: RefusalReason | undefined): PasswordVerdict {
  return responseReason !== undefined && correctPasswordReasons.has(responseReason)
    ? { verdict: 'expired', reason: responseReason }
    : { verdict: 'accepted' };
}

/** @param error error of the rejected bind */
export function verdictOfRefused(error: unknown, responseReason: RefusalReason | undefined): PasswordVerdict {
  const reason = responseReason ?? subCodeOf(error);
  return reason !== undefined && correctPasswordReasons.has(reason)
    ? { verdict: 'expired', reason }
    : { verdict: 'refused', reason };
}

function subCodeOf(error: unknown): RefusalReason | undefined {
  if (!(error instanceof Error) || resultCode(error) !== 49) return undefined;
  const [, code = ''] = /, data ([0-9a-f]{3}),/i.exec(error.message) ?? [];
  return subCodes[code.toLowerCase()];
}
