import { explain } from './explanation.ts';

/** Problem codes of logins. */
export const loginErrors = {
  invalid_credentials: explain(
    'The credentials are incorrect.',
    'The domain, the name or the password is wrong, or the account is not allowed to log in. For security reasons the response does not state which.',
    'Check the credentials. Ask an administrator whether the account is active.',
  ),
  invalid_signature: explain(
    'The signature does not match the certificate or the signed data.',
    'Another card was used, the digest was signed as if it were the data, or the digest is not SHA-256.',
    'Start the login again and sign `data_to_sign`, or its `digest`, with the key of the same certificate.',
  ),
  login_expired: explain(
    'This certificate login cannot be continued.',
    'The login was already finished, was started more than 240 seconds ago, or belongs to another domain.',
    'Start the login again.',
  ),
  certificate_not_trusted: explain(
    'The KDC found no path from the certificate to a trusted authority.',
    'The realm does not accept the authority, or an intermediate certificate is missing.',
    'Send the intermediate certificates in `chain`, or ask the administrator of the realm.',
  ),
  certificate_invalid: explain(
    'The KDC does not accept the certificate.',
    'The certificate has expired, is not valid yet, or does not meet the requirements of the realm.',
    'Have a new certificate issued.',
  ),
  certificate_revoked: explain(
    'The certificate has been revoked.',
    'The issuing authority revoked it.',
    'Use another card.',
  ),
  certificate_mismatch: explain(
    'The certificate does not belong to the account.',
    'It has no Kerberos or user principal name of this realm, has a name other than `username`, or the KDC maps it to another account.',
    'Use the certificate that was issued for this account.',
  ),
  certificate_wrong_purpose: explain(
    'The certificate was issued for another purpose.',
    'It lacks the extended key usage that the realm requires.',
    'Use the certificate for logins. A card can contain several certificates.',
  ),
  no_registered_group: explain(
    'The user exists in the directory, but none of their groups is registered in the portal.',
    'The password is correct, but no group of the user is registered, or all registered groups are inactive.',
    'Ask an administrator to register a group of the user in this domain.',
  ),
  two_factor_required: explain(
    'The domain or the account requires a second factor.',
    'The request has a password only.',
    'Use POST /api/auth/v7.0/login/2fa, or send the code with the request.',
  ),
  redirect_required: explain(
    'The users of the domain sign in at an identity provider.',
    'A password was sent for this domain. The portal stores and checks no passwords of its users.',
    'Open /api/auth/v7.0/oidc/{auth_uuid}/start in a browser. The list of domains has `flow: redirect` for such a domain.',
  ),
  password_change_required: explain(
    'The password must be changed before any other operation.',
    'An administrator set the password or required a change.',
    'Send PUT /api/userinfo/password with the current and a new password.',
  ),
  account_disabled: explain(
    'The account is disabled in its realm.',
    'An administrator of the realm disabled it.',
    'Ask the administrator of the realm.',
  ),
  account_locked: explain(
    'The account is locked in its realm.',
    'Too many wrong passwords were entered, or an administrator of the realm locked it.',
    'Wait until the lock expires, or ask an administrator of the realm to unlock the account.',
  ),
  account_restricted: explain(
    'The account is not allowed to log in at this time or from this computer.',
    'The realm restricts the hours or the workstations of the account.',
    'Log in within the permitted hours, or ask an administrator of the realm.',
  ),
  account_expired: explain(
    'The account has expired in its realm.',
    'The expiration date of the account has passed.',
    'Ask the administrator of the realm.',
  ),
  password_expired: explain(
    'The password of the account has expired in its realm.',
    'The realm requires a new password. This also applies to logins with a certificate.',
    'Change the password in the realm, then log in again.',
  ),
  locked_out: explain(
    'Too many login attempts failed.',
    'A limit was exceeded: for this account from this network, for the account, for the address, or for the installation. While the lock lasts, the correct password is rejected as well. The limits other than the first do not apply to networks with a successful login of the account in the last 30 days.',
    'Wait for Retry-After, or ask an administrator to unlock the account.',
  ),
};
