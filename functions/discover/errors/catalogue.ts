import type { ErrorCode } from '../../../shared/kernel/errors.ts';
import { type Explanation, explain } from './explanation.ts';
import { loginErrors } from './login-errors.ts';

export const catalogue: Record<ErrorCode, Explanation> = {
  ...loginErrors,
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
    'The request carries no credentials.',
    'The header X-Auth-Token is missing; on the health port, the header Authorization.',
    'Log in and send the token in X-Auth-Token. A monitor sends `Authorization: Token <key>`, with the key that `detail` names.',
  ),
  invalid_token: explain(
    'The token or key is not valid, or not any more.',
    'The session ended by logout, age, idleness, or a change of the account; or the token is of another installation. On the health port: the key is that of another endpoint, or was changed.',
    'Log in again. A monitor sends the key that `detail` names.',
  ),
  forbidden: explain(
    'The caller is known, but may not do this.',
    'No role gives `required_permission`, its scope is too narrow, or permissions in `missing` are at stake.',
    'Ask an administrator for a role with the permission named.',
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
  not_acceptable: explain(
    'The answer cannot have a media type that the request accepts.',
    'The header Accept names the file of one protocol only, and the service is not offered by that protocol.',
    'Accept the file of another protocol, or application/json, which names the protocol.',
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
    'The current state does not allow this.',
    'See `reason`: a built-in object, the own account, the last administrator, maintenance.',
    'Change the state first, or let somebody else do it.',
  ),
  service_in_preparation: explain(
    'The workplace is being prepared.',
    'It is being created or started; `percent` says how far it is, where known.',
    'Ask again after the seconds of Retry-After.',
  ),
  gateway_unavailable: explain(
    'No gateway that serves the network of the client is alive.',
    'Its gateways are disabled, in maintenance, or send no heartbeats.',
    'Try again later; an administrator looks at the gateways of the site, or sets `direct_when_gateways_fail` there.',
  ),
  export_pending: explain(
    'The file of the export is still being built.',
    'It was ordered a short time ago, has many rows, or no sidecar runs that would build it.',
    'Ask for its state with its export_id until that is `ready`, then obtain it.',
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
  expired: explain(
    'What is asked for was there, and is kept no longer.',
    'Exports are kept for `export.keep_h` hours.',
    'Order a new one.',
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
  internal: explain(
    'Something went wrong on our side.',
    'The cause is in the log under the request id of `instance`.',
    'Give the request id to whoever runs the portal.',
  ),
  upstream_failed: explain(
    'A dispatcher, a directory or a KDC gave no usable answer.',
    'It is not reachable, failed, or answered something else than its API; `detail` names which, `reason` why.',
    'Check that server: `dispatcher` names a node. Try again later.',
  ),
  upstream_refused: explain(
    'A dispatcher, a directory or a KDC, or the policy for outbound addresses, refused the request.',
    'A node does not accept our token, a directory does not accept its account, or an address is not allowed; see `reason`.',
    'Register our public keys with the node; check the account of the domain and ALLOWED_PRIVATE_NETWORKS.',
  ),
  upstream_tls: explain(
    'The certificate of a dispatcher or a directory is not acceptable.',
    'See `reason`: expired, wrong_name, self_signed, unknown_ca.',
    'Give the server a valid certificate, or register its CA with the node or the domain.',
  ),
  upstream_unavailable: explain(
    'No dispatcher, directory or KDC could serve the request.',
    'All of them failed, are disabled, or are not asked for a while after failures.',
    'Try again after Retry-After; check the status of the sites, or the domain.',
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
    'A dispatcher, a directory or a KDC did not answer within its time limit.',
    'The server is slow or hangs; `detail` names which.',
    'Try again after Retry-After; check that server: `dispatcher` names a node.',
  ),
};
