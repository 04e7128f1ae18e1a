import { explain } from './explanation.ts';

/** Codes of logins: whoever cannot get in reads them. */
export const loginErrors = {
  invalid_credentials: explain(
    'The credentials were not accepted.',
    'The domain, the name or the password is wrong, or the account may not log in. The answer does not tell which.',
    'Check what was typed; ask an administrator whether the account is active.',
  ),
  invalid_signature: explain(
    'The signature was not made by the key of the certificate, or not over what was to be signed.',
    'Another card, a signature over the digest as if it were the text, or one that is not SHA-256.',
    'Begin the login again and sign `data_to_sign`, or its `digest`, with the key of the same certificate.',
  ),
  login_expired: explain(
    'This login by certificate is over.',
    'It was finished before, more than 240 seconds have passed, or it belongs to another domain.',
    'Begin the login again.',
  ),
  certificate_not_trusted: explain(
    'The KDC finds no way from the certificate to an authority that it knows.',
    'An authority that the realm does not accept, or a certificate in between that is missing.',
    'Send the certificates in between in `chain`; ask whoever runs the realm.',
  ),
  certificate_invalid: explain(
    'The KDC does not accept the certificate.',
    'It has expired, is not valid yet, or has something that the realm refuses.',
    'Have a new certificate issued.',
  ),
  certificate_revoked: explain(
    'The certificate was revoked.',
    'Its authority has taken it back.',
    'Use another card.',
  ),
  certificate_mismatch: explain(
    'The certificate does not name the account that is to log in.',
    'It has no Kerberos or user principal name of this realm, another one than `username`, or the KDC maps it to another account.',
    'Use the certificate that was issued for this account.',
  ),
  certificate_wrong_purpose: explain(
    'The certificate was issued for another purpose.',
    'It lacks the extended key usage that the realm asks for.',
    'Use the certificate for logging in; a card may hold several.',
  ),
  no_registered_group: explain(
    'The directory knows the user, but none of his groups is registered here.',
    'The password was right; nobody has registered one of the groups, or those that are registered are inactive.',
    'Ask an administrator to register a group of the user in this domain.',
  ),
  two_factor_required: explain(
    'The domain asks for a second factor.',
    'The plain login was used for a domain with a second factor.',
    'Use POST /api/auth/v7.0/login/2fa, which answers with a challenge for the code.',
  ),
  password_change_required: explain(
    'The password must be changed before anything else.',
    'An administrator set the password, or asked for a change.',
    'PUT /api/userinfo/password with the present and a new password.',
  ),
  account_disabled: explain(
    'The account is disabled in its realm.',
    'An administrator of the realm has disabled it.',
    'Ask whoever runs the realm.',
  ),
  account_locked: explain(
    'The account is locked in its realm.',
    'Too many wrong passwords were tried, or an administrator of the realm has locked it.',
    'Wait until the lock ends, or ask an administrator of the realm to lift it.',
  ),
  account_restricted: explain(
    'The account may not be used now or from here.',
    'The realm limits the hours or the workstations of the account.',
    'Log in within the permitted hours, or ask an administrator of the realm.',
  ),
  account_expired: explain(
    'The account has expired in its realm.',
    'It was given an end, which has passed.',
    'Ask whoever runs the realm.',
  ),
  password_expired: explain(
    'The password of the account has expired in its realm.',
    'The realm asks for a new one before anything else, also of those who log in by certificate.',
    'Change the password there, then log in again.',
  ),
  locked_out: explain(
    'There were too many failed attempts: for this account from this network, or for it, from the address or altogether.',
    'The right password is refused as well until the lock ends; the wider limits spare networks that the account has been used from in the last 30 days.',
    'Wait for Retry-After, or ask an administrator to lift the lock of the account.',
  ),
};
