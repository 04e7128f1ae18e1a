import type { ErrorCode } from '../../../shared/kernel/errors.ts';
import type { Language } from '../../../shared/messages/languages.ts';
import { explanations } from '../../../shared/messages/ru/explanations.ts';
import { loginExplanations } from '../../../shared/messages/ru/login-explanations.ts';
import { type Explanation, explain } from './explanation.ts';
import { loginErrors } from './login-errors.ts';

const english: Record<ErrorCode, Explanation> = {
  ...loginErrors,
  malformed_json: explain(
    'The body could not be read as one JSON object.',
    'The body has a syntax error, a duplicate field name, more than 32 levels of nesting, or text that is not UTF-8.',
    'Send one well-formed JSON object.',
  ),
  malformed_request: explain(
    'The request could not be read as HTTP.',
    'The request line or a header has a syntax error, or the header Host is missing or occurs twice.',
    'Check the client and all proxies between the client and the portal.',
  ),
  malformed_cursor: explain(
    'The cursor cannot be used with this list.',
    'The cursor was changed, or it was issued for a list with other filters, another sort order or another caller.',
    'Start again with the first page. Follow `next` and leave the other parameters unchanged.',
  ),
  unauthenticated: explain(
    'The request has no credentials.',
    'The header X-Auth-Token is missing. On the health port, the header Authorization is missing.',
    'Log in and send the token in X-Auth-Token. A monitoring system sends `Authorization: Token <key>` with the key that `detail` names.',
  ),
  invalid_token: explain(
    'The token or key is not valid or has expired.',
    'The session ended by logout, expiration, inactivity or a change of the account, or the token belongs to another installation. On the health port, the key belongs to another endpoint or was changed.',
    'Log in again. A monitoring system sends the key that `detail` names.',
  ),
  forbidden: explain(
    'The caller is authenticated but lacks a permission.',
    'No role of the caller grants `required_permission`, the role does not apply to the site, or the change affects permissions in `missing` that the caller does not have.',
    'Ask an administrator for a role with this permission.',
  ),
  not_known_here: explain(
    'The dispatchers of the site have no account that the user may use.',
    'The user is unknown, disabled or in no group there, is staff of the dispatcher, or the domain of the user is not linked. The list of services and the explanation of a rule contain the reason for callers with `rules.explain`.',
    'Create or enable the account at the dispatcher, or link the domain. A new account appears when `aggregator.services_fresh_s` has passed.',
  ),
  https_required: explain(
    'The request was sent over plain HTTP.',
    'The address begins with http://, or the proxy in front of the portal does not report that it terminated TLS.',
    'Use https://. Behind a proxy, set TRUST_PROXY and let the proxy send X-Forwarded-Proto.',
  ),
  not_found: explain(
    'The caller cannot access an object at this address.',
    'The identifier is unknown or malformed, or the object is outside the scope of the caller.',
    'Find the object in its list.',
  ),
  method_not_allowed: explain(
    'The path exists but does not support this method.',
    'The header Allow lists the supported methods.',
    'Use one of the methods in Allow.',
  ),
  not_acceptable: explain(
    'The response is not available in a media type that the request accepts.',
    'The header Accept requests the file type of one protocol only, and the service is not available over that protocol.',
    'Accept the file type of another protocol, or application/json, which states the protocol.',
  ),
  already_exists: explain(
    'Another object already has this value.',
    'Names are unique within their collection, regardless of case.',
    'Use the object `existing_id`, or choose another name.',
  ),
  in_use: explain(
    'The object cannot be deleted because other objects refer to it.',
    'The objects in `references` refer to it.',
    'Change or delete these objects first.',
  ),
  invalid_state: explain(
    'The operation is not possible in the current state.',
    'See `reason`, for example a built-in object, your own account, the last administrator, or maintenance.',
    'Change the state first, or have another administrator perform the operation.',
  ),
  service_in_preparation: explain(
    'The workplace is being prepared.',
    'It is being created or started. `percent` gives the progress, if known.',
    'Retry after the number of seconds in Retry-After.',
  ),
  gateway_unavailable: explain(
    'No gateway for the network of the client is online.',
    'The gateways are disabled, in maintenance, or send no heartbeats.',
    'Retry later. An administrator can check the gateways of the site, or set `direct_when_gateways_fail` for it.',
  ),
  export_pending: explain(
    'The export file is still being built.',
    'The export was ordered recently, has many rows, or no sidecar is running to build it.',
    'Query its state with its export_id until it is `ready`, then download the file.',
  ),
  idempotency_in_progress: explain(
    'A request with the same Idempotency-Key is still running.',
    'The request was sent twice at the same time, or repeated before the first one finished.',
    'Send the same request again later. It receives the response of the first request.',
  ),
  outcome_unknown: explain(
    'A request with this Idempotency-Key was started, but its outcome is unknown.',
    'The connection to another system or the process itself was interrupted. The request is not run again.',
    'Read the object. If the change is still needed, send the request with a new key.',
  ),
  expired: explain(
    'The resource existed but has expired.',
    'Exports are stored for `export.keep_h` hours.',
    'Order a new export.',
  ),
  precondition_failed: explain(
    'The object has changed since it was read.',
    'Another client changed the object; If-Match has the ETag of an older revision.',
    'Read the object again, apply the change, and send the new ETag.',
  ),
  body_too_large: explain(
    'The request body exceeds the limit of this operation.',
    'The limit is given in `limit_bytes`.',
    'Send less data, or split it into several requests.',
  ),
  unsupported_media_type: explain(
    'The media type of the body is not supported.',
    'Content-Type is missing or is neither application/json nor application/merge-patch+json, or Content-Encoding indicates compression.',
    'Send uncompressed JSON with Content-Type: application/json.',
  ),
  expectation_failed: explain(
    'The server does not support the expectation in the header Expect.',
    'The header Expect has a value other than 100-continue.',
    'Send the request without the header Expect.',
  ),
  headers_too_large: explain(
    'The request headers are too large.',
    'The headers exceed 16 KiB in total.',
    'Send fewer or smaller headers. Large cookies are a common cause.',
  ),
  request_timeout: explain(
    'The request was not received in time.',
    'The headers took longer than 15 seconds, or the whole request took longer than 60 seconds.',
    'Send the request again over a faster connection.',
  ),
  invalid_request: explain(
    'The request was read, but its content is not valid.',
    '`errors` has an entry for each error: `pointer` names the field, parameter or header; `code` and `detail` describe the error.',
    'Correct these fields and send the request again.',
  ),
  idempotency_mismatch: explain(
    'The Idempotency-Key was already used with another request.',
    'Method, address, query or body differ from those of the first request with this key.',
    'Use a new key for each new request. Use the same key only to retry a request.',
  ),
  secret_required: explain(
    'The stored secret cannot be used for another destination.',
    'The address, the certificate or the TLS settings changed. A secret is used only for the destination that it was stored for.',
    'Send the secret again together with the change.',
  ),
  rate_limited: explain(
    'The caller exceeded a rate limit.',
    'The session, or the address for requests without a valid session, sent more requests than `limit_per_minute` allows. `policy` names the limit.',
    'Wait for Retry-After. If the load is intended, ask an administrator to raise the limit.',
  ),
  internal: explain(
    'An unexpected error occurred on the server.',
    'The log has the cause under the request identifier in `instance`.',
    'Report the request identifier to the operator of the portal.',
  ),
  upstream_failed: explain(
    'A dispatcher, a directory or a KDC did not return a valid response.',
    'The server is unreachable, failed, or returned an unexpected response. `detail` names the server and `reason` the cause.',
    'Check that server; `dispatcher` names a node. Retry later.',
  ),
  upstream_refused: explain(
    'A dispatcher, a directory or a KDC rejected the request, or the policy for outbound addresses blocked it.',
    'A node does not accept the token of the portal, a directory does not accept the search account, or an address is not allowed. See `reason`.',
    'Register the public keys of the portal with the node; check the search account of the domain and ALLOWED_PRIVATE_NETWORKS.',
  ),
  upstream_tls: explain(
    'The certificate of a dispatcher or a directory is not trusted.',
    'See `reason`: expired, wrong_name, self_signed, unknown_ca.',
    'Install a valid certificate on the server, or add its certificate authority to the node or the domain.',
  ),
  upstream_unavailable: explain(
    'No dispatcher, directory or KDC could serve the request.',
    'All servers failed, are disabled, or are not called temporarily because their circuit breakers are open.',
    'Retry after Retry-After. Check the status of the sites or of the domain.',
  ),
  overloaded: explain(
    'Too many requests are waiting for processing.',
    'Many requests are sent at the same time. The numbers of concurrent password hashes and of database connections are limited.',
    'Retry after Retry-After.',
  ),
  database_unavailable: explain(
    'The database is unreachable or does not respond.',
    'The database is restarting or does not answer, or the connection is down.',
    'Retry after Retry-After.',
  ),
  upstream_timeout: explain(
    'A dispatcher, a directory or a KDC did not respond within its time limit.',
    'The server is slow or hangs. `detail` names the server.',
    'Retry after Retry-After. Check that server; `dispatcher` names a node.',
  ),
};

/** The explanations of all codes in each language. A code without one of them does not compile. */
export const catalogue: Record<Language, Record<ErrorCode, Explanation>> = {
  en: english,
  ru: { ...explanations, ...loginExplanations },
};
