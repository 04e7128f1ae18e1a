import type { Entry } from '../../../../remotes/directory/port.ts';

/**
 * Attributes with the state of an account, of Active Directory, 389 Directory Server, FreeIPA, OpenLDAP and RFC 2307.
 */
export const stateAttributes = [
  'userAccountControl',
  'msDS-User-Account-Control-Computed',
  'accountExpires',
  'nsAccountLock',
  'krbPrincipalExpiration',
  'pwdAccountLockedTime',
  'shadowExpire',
];

export type AccountState = 'active' | 'disabled' | 'expired' | 'locked';

/** ADS_UF_ACCOUNTDISABLE, ADS_UF_LOCKOUT (MS-ADTS, 2.2.16). */
const [disabledFlag, lockedFlag] = [0x2, 0x10];
/** Milliseconds between 1601, the epoch of Windows, and 1970. */
const windowsEpochMs = 11_644_473_600_000;

/** The state of an account according to its entry. Not all directories refuse the password of an unusable account. */
export function accountState(values: Entry['values'], now: Date): AccountState {
  const first = (name: string): string => values[name.toLowerCase()]?.[0] ?? '';
  const isDisabled =
    (Number(first('userAccountControl')) & disabledFlag) !== 0 ||
    first('nsAccountLock').toLowerCase() === 'true';
  if (isDisabled) return 'disabled';
  const ends = [
    windowsTime(first('accountExpires')),
    generalizedTime(first('krbPrincipalExpiration')),
    shadowTime(first('shadowExpire')),
  ];
  if (ends.some((end) => end !== undefined && end <= now.getTime())) return 'expired';
  const isLocked =
    (Number(first('msDS-User-Account-Control-Computed')) & lockedFlag) !== 0 ||
    first('pwdAccountLockedTime').startsWith('000001010000');
  return isLocked ? 'locked' : 'active';
}

/** Attributes with the state of a password, of Active Directory, 389 Directory Server, FreeIPA and OpenLDAP. */
export const passwordStateAttributes = [
  'pwdLastSet',
  'pwdReset',
  'passwordExpirationTime',
  'krbPasswordExpiration',
];

/** ADS_UF_PASSWORD_EXPIRED (MS-ADTS, 2.2.16). */
const passwordExpiredFlag = 0x80_0000;

/** The state of the password according to the entry; undefined if it is usable. */
export function passwordState(
  values: Entry['values'],
  now: Date,
): 'expired_password' | 'must_change' | undefined {
  const first = (name: string): string => values[name.toLowerCase()]?.[0] ?? '';
  if (first('pwdReset').toLowerCase() === 'true') return 'must_change';
  const isFlagged = (Number(first('msDS-User-Account-Control-Computed')) & passwordExpiredFlag) !== 0;
  if (isFlagged && first('pwdLastSet') === '0') return 'must_change';
  const ends = [first('passwordExpirationTime'), first('krbPasswordExpiration')].map(generalizedTime);
  const isOver = ends.some((end) => end !== undefined && end <= now.getTime());
  return isFlagged || isOver ? 'expired_password' : undefined;
}

/** Units of 100 ns since 1601. 0 and 2^63 - 1 mean never. */
function windowsTime(text: string): number | undefined {
  if (!/^\d{1,19}$/.test(text) || text === '0' || text === '9223372036854775807') return undefined;
  return Number(text) / 10_000 - windowsEpochMs;
}

/** RFC 4517, 3.3.13, in UTC. */
function generalizedTime(text: string): number | undefined {
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)?/.exec(text) ?? [];
  if (parts.length === 0) return undefined;
  const [year = 0, month = 1, ...rest] = parts.map((part) => Number(part ?? 0));
  return Date.UTC(year, month - 1, ...rest);
}

/** Days since 1970; a negative number means never. */
const shadowTime = (text: string): number | undefined =>
  /^\d+$/.test(text) ? Number(text) * 86_400_000 : undefined;
