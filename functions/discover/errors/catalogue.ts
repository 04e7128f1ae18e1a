import type { ErrorCode } from '../../../shared/kernel/errors.ts';

/** What a code means, what usually causes it, and what to do about it. */
export type Explanation = { meaning: string; cause: string; remedy: string };

const explain = (meaning: string, cause: string, remedy: string): Explanation => ({ meaning, cause, remedy });

export const catalogue: Record<ErrorCode, Explanation> = {
  malformed_json: explain(
    'The body could not be read as one JSON object.',
    'A syntax error, a member name given twice, nesting deeper than 32 levels, or text that is not UTF-8.',
    'Send one well-formed JSON object.',
  ),
  malformed_request: explain(
    'What arrived is no HTTP request that could be read.',
    'A syntax error in the request line or a header, or a header Host that is missing or there twice.',
    'Check the client, and what stands between it and the portal.',
  ),
  malformed_cursor: explain(
    'The cursor does not continue this list.',
    'It was changed, or belongs to a list with other filters, another sort order or another caller.',
    'Start again from the first page and follow `next` without changing the rest of the query.',
  ),
  unauthenticated: explain(
    'The request carries no session token.',
    'The header X-Auth-Token is missing.',
    'Log in and send the token in X-Auth-Token.',
  ),
  invalid_token: explain(
    'The token is not valid, or not any more.',
    'The session ended by logout, age, idleness, or a change of the account; or the token is of another installation.',
    'Log in again.',
  ),
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
  forbidden: explain(
    'The caller is known, but may not do this.',
    'No role gives `required_permission`, its scope is too narrow, or permissions in `missing` are at stake.',
    'Ask an administrator for a role with the permission named.',
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
    'An administrator of the realm has disabled or locked it.',
    'Ask whoever runs the realm.',
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
  https_required: explain(
    'The request came over plain HTTP.',
    'The address begins with http://, or the proxy in front does not say that it ended TLS.',
    'Use https://. Behind a proxy, set TRUST_PROXY and have it send X-Forwarded-Proto.',
  ),
  not_found: explain(
    'There is nothing at this address for this caller.',
    'The identifier is unknown or malformed, or the object is outside the scope of the caller.',
    'Look the object up in its list.',
  ),
  method_not_allowed: explain(
    'The address exists, but not with this method.',
    'See the header Allow.',
    'Use one of the methods of Allow.',
  ),
  already_exists: explain(
    'Another object has this value already.',
    'Names are unique within their collection, without regard to case.',
    'Use the object `existing_id`, or another name.',
  ),
  in_use: explain(
    'The object is referred to and stays.',
    'The objects of `references` name it.',
    'Change or delete these first.',
  ),
  invalid_state: explain(
    'The present state does not allow this.',
    'See `reason`: a built-in object, the own account, the last administrator, maintenance.',
    'Change the state first, or let somebody else do it.',
  ),
  service_in_preparation: explain(
    'The workplace is being prepared.',
    'It is being created or started; `percent` says how far it is, where known.',
    'Ask again after the seconds of Retry-After.',
  ),
  idempotency_in_progress: explain(
    'A request with the same Idempotency-Key has not ended yet.',
    'It was sent twice at once, or again while the first one still ran.',
    'Send the same request again a little later: it is answered as the first one was.',
  ),
  outcome_unknown: explain(
    'A request with this Idempotency-Key began, and how it ended is not known.',
    'The connection to another system, or the process itself, ended on the way. The request is not run again.',
    'Look at the object, then send the request with a new key if it is still wanted.',
  ),
  precondition_failed: explain(
    'The object has changed since it was read.',
    'Somebody else wrote it; If-Match names an older revision.',
    'Read it again, apply the change, send the new ETag.',
  ),
  body_too_large: explain(
    'The body is larger than this operation takes.',
    'The limit is in `limit_bytes`.',
    'Send less, or in several requests.',
  ),
  unsupported_media_type: explain(
    'The body is not of a type that is understood.',
    'Content-Type is missing or is neither application/json nor application/merge-patch+json; or Content-Encoding names a compression.',
    'Send JSON with Content-Type: application/json, not compressed.',
  ),
  expectation_failed: explain(
    'The request expects something of the server that it does not do.',
    'Its header Expect names something else than 100-continue.',
    'Send it without the header Expect.',
  ),
  headers_too_large: explain(
    'The headers of the request are too large.',
    'Together they have more than 16 KiB.',
    'Send fewer or smaller headers, cookies above all.',
  ),
  request_timeout: explain(
    'The request did not arrive in time.',
    'Its headers took longer than 15 seconds, or the whole of it longer than 60.',
    'Send it again over a better connection.',
  ),
  invalid_request: explain(
    'The request is understood, but its content is not valid.',
    'Each fault is an entry of `errors`: `pointer` names the member (or ?parameter, or header), `code` and `detail` what is wrong.',
    'Correct the members named.',
  ),
  idempotency_mismatch: explain(
    'The Idempotency-Key was sent before with another request.',
    'Method, address, query or body differ from those of the first request with this key.',
    'Use a new key for every new request, and the same one only to repeat it.',
  ),
  secret_required: explain(
    'A stored secret would go to another destination.',
    'The address, the certificate or the TLS settings changed; secrets are used only where they were stored for.',
    'Send the secret again with the change.',
  ),
  rate_limited: explain(
    'There were more requests than the limit allows.',
    'The session, or the address for requests without a valid one (`policy`), used up `limit_per_minute`.',
    'Wait for Retry-After; ask an administrator for another limit if the load is meant to be.',
  ),
  locked_out: explain(
    'There were too many failed attempts: for this account from this network, or for it, from the address or altogether.',
    'The right password is refused as well until the lock ends; the wider limits spare networks that the account has been used from in the last 30 days.',
    'Wait for Retry-After, or ask an administrator to lift the lock of the account.',
  ),
  internal: explain(
    'Something went wrong on our side.',
    'The cause is in the log under the request id of `instance`.',
    'Give the request id to whoever runs the portal.',
  ),
  upstream_failed: explain(
    'A dispatcher gave no usable answer.',
    'It is not reachable, failed, or answered something else than its API; see `reason`.',
    'Look at the node named in `dispatcher`; try again later.',
  ),
  upstream_refused: explain(
    'A dispatcher, or the policy for outbound addresses, refused the call.',
    'The node does not accept our token, or its address is not allowed; see `reason`.',
    'Register our public keys with the node; check ALLOWED_PRIVATE_NETWORKS.',
  ),
  upstream_tls: explain(
    'The certificate of a dispatcher is not acceptable.',
    'See `reason`: expired, wrong_name, self_signed, unknown_ca.',
    'Give the node a valid certificate, or register its CA with the node.',
  ),
  upstream_unavailable: explain(
    'No dispatcher node could serve the request.',
    'All nodes failed, are disabled, or are being left alone after failures.',
    'Try again after Retry-After; see the status of the sites.',
  ),
  overloaded: explain(
    'Too many requests are waiting for the processor.',
    'Many logins at once: hashing passwords is bounded.',
    'Try again after Retry-After.',
  ),
  database_unavailable: explain(
    'The database cannot be reached or does not answer.',
    'It is being restarted, is overloaded, or the connection is down.',
    'Try again after Retry-After.',
  ),
  upstream_timeout: explain(
    'A dispatcher did not answer within its time.',
    'The node is slow or hangs.',
    'Try again after Retry-After; look at the node named in `dispatcher`.',
  ),
};
