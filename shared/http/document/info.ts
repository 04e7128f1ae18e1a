import { errorCodes } from '../../kernel/errors.ts';
import { jsonLimits } from '../../kernel/json/scan.ts';
import { systemParameters } from '../../kernel/system-parameters.ts';

const limits = {
  token: systemParameters['limits.per_token_per_minute'].default,
  address: systemParameters['limits.anonymous_per_ip_per_minute'].default,
  session: systemParameters['session.user_absolute_s'].default,
  idle: systemParameters['session.idle_s'].default,
};

const login = `
Log in with \`POST /api/auth/v7.0/login\` and send the token from the response in the header \`X-Auth-Token\`. \`authSmallName\`
selects the domain; \`GET /api/auth/v7.0/authenticators\` lists the domains.

\`\`\`sh
curl https://portal.example.com/api/auth/v7.0/login -H 'content-type: application/json' \\
  -d '{"username":"admin","password":"…","authSmallName":"builtin"}'
curl https://portal.example.com/api/userinfo -H "X-Auth-Token: $TOKEN"
\`\`\`

By default a session ends ${limits.session} seconds after the login, or after ${limits.idle} seconds without a request. Requests
with \`X-Background: true\` do not count: a client marks those that no action of the user has caused.
\`POST /api/auth/v7.0/logout\` ends it immediately. A domain with a second factor uses \`POST /api/auth/v7.0/login/2fa\`.
Programs send a service token in the same header; an administrator creates it. 401 \`unauthenticated\` means that the header
is missing. 401 \`invalid_token\` means that the token has expired or was revoked: log in again. 403 \`forbidden\` gives the
required permission. The portal is served over HTTPS only.

Bodies are UTF-8 in both directions. Windows PowerShell 5.1 sends other characters than ASCII correctly only as bytes:
\`Invoke-RestMethod -Body ([Text.Encoding]::UTF8.GetBytes($json)) -ContentType 'application/json; charset=utf-8'\`.`;

const paging = `
Lists of records return \`{"items": […], "next": "…"}\`. \`limit\` sets the number of items in a page (default 50, at most 500).
To read the next page, repeat the request with \`cursor\` set to \`next\`; the last page has \`next: null\`. The header \`Link\`
with \`rel="next"\` has the same address. Cursors are opaque. A cursor is valid only for the list, the sort key and the filters
that it was issued for; any other use is rejected with 400 \`malformed_cursor\`. Creating or deleting objects between two
requests does not shift the items of later pages. \`count=exact\` adds \`total\`. Page numbers and offsets are not supported.`;

const conditional = `
Single objects, the system parameters and the list of services have an \`ETag\`. Send it as \`If-None-Match\` with GET: the response is 304 without a body while the content
is unchanged. Send it as \`If-Match\` with PUT, PATCH or DELETE: the object is written only if it has not changed since it was read.
Otherwise the response is 412 \`precondition_failed\` and nothing is written. Without \`If-Match\` the last write wins.
Send the tag as it was received: a tag that a compressing proxy has changed (\`W/"…"\`, \`"…-gzip"\`) counts as the original.

PATCH takes a JSON Merge Patch (RFC 7396): absent fields stay unchanged, and \`null\` resets a field to its default or removes
an optional value.`;

const idempotency = `
POST and PATCH requests with the header \`Idempotency-Key\` can be retried safely after a timeout or a broken connection. Send
a new random value (for example a UUID) with each new request, and the same value with its retries. For 24 hours, retries
receive the response of the first request, and the request is not run again. Secrets that are returned once are not returned
again. 422 \`idempotency_mismatch\` means that the key was used with another request, and 409 \`idempotency_in_progress\` that
the first request is still running. 409 \`outcome_unknown\` means that the first request was interrupted and may have taken
effect: read the object before you try again with a new key. After an interruption, retries can receive
\`idempotency_in_progress\` for up to 60 seconds. GET, PUT and DELETE are idempotent and need no key.`;

const dryRun = `
Write requests that accept the header \`X-Dry-Run\` can be tested: with \`X-Dry-Run: true\` the request is validated completely and
nothing is changed. The response is 200 with \`{"dry_run": true, "would": {"status": …, "body": …, "events": […]}}\`. It contains
the status and the body that the real request would return, and the audit events that it would write. Errors are the same as
those of the real request.`;

const replicas = `
A portal can have read replicas of its database. Lists then may be some seconds old, but after a write the lists of the same
user contain it for the next five seconds. Later they may be older than the write: responses to writes have the header
\`X-Consistency-Token\`, if the portal knows the position of the write. A list that is requested with this header contains the
write, also for other users. Single objects are always current.`;

const errors = `
Errors are problem documents (RFC 9457, \`application/problem+json\`):

\`\`\`json
{
  "type": "/api/errors/invalid_request",
  "title": "${errorCodes.invalid_request.title}",
  "status": 422,
  "detail": "/uri: Must match the pattern",
  "instance": "01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11",
  "code": "invalid_request",
  "retryable": false,
  "errors": [{ "pointer": "/uri", "code": "invalid_format", "detail": "Must match the pattern" }]
}
\`\`\`

Programs should use \`code\`, which is stable; \`detail\` is for people. \`errors\` has one entry for each invalid field. Its
\`pointer\` is a JSON Pointer into the body, \`?name\` for a query parameter, or the name of a header. \`type\` is the address of a
page that explains the code. \`instance\` is the identifier of the request, which is also logged; a request can set it with
\`X-Request-Id\`. Retry only if \`retryable\` is true, after the number of seconds in \`Retry-After\`. Errors of agent calls
(\`/api/agent\`, \`/api/ssa\`) have the form \`{"result": null, "error": "<code>: …"}\`.

Some errors occur before an operation is selected, and any request can receive them: 400 \`malformed_request\`,
404 \`not_found\`, 405 \`method_not_allowed\`, 408 \`request_timeout\`, 417 \`expectation_failed\`, 431 \`headers_too_large\`.`;

const sizes = `
A JSON body has at most ${jsonLimits.depth} levels of nesting, ${jsonLimits.members} fields in one object, ${jsonLimits.names} different
field names, and ${jsonLimits.values} fields and array elements in total. Each operation states its size limit in KiB; a larger body
is rejected with 413 \`body_too_large\`. Bodies must be uncompressed UTF-8. Unknown fields and unknown query parameters are
rejected. An error response lists at most 100 invalid fields.`;

const rates = `
By default each session may send ${limits.token} requests per minute. Each address (IPv4, or IPv6 /64) may send ${limits.address} requests
per minute without a valid token. Administrators change these limits in the system parameters. A request above the limit is
rejected with 429 \`rate_limited\` and the headers \`Retry-After\`, \`RateLimit\` and \`RateLimit-Policy\`. Failed logins have limits
of their own: 429 \`locked_out\`.`;

const versioning = `
This document describes version 7.0. Versioned paths contain the segment \`v7.0\`. Within this version, operations, fields, error
codes and enumeration values are added but never removed or changed. Ignore unknown fields, and handle unknown codes by their HTTP
status. A trailing slash is ignored. HEAD is supported wherever GET is.`;

const sections: readonly [title: string, text: string][] = [
  ['Login', login],
  ['Paging', paging],
  ['Conditional requests', conditional],
  ['Idempotency', idempotency],
  ['Dry run', dryRun],
  ['Read replicas', replicas],
  ['Errors', errors],
  ['Limits', sizes],
  ['Rate limiting', rates],
  ['Versioning', versioning],
];

/**
 * The `info` object of the document. It describes what applies to all operations, as CommonMark with one heading per
 * topic.
 */
export const info = {
  title: 'Aggregator portal',
  version: '7.0',
  summary: 'One HTTPS/JSON API over several dispatcher sites of a virtual-workplace platform.',
  description: [
    'The portal authenticates users, manages sites, farms, dispatcher nodes, users and rules, and provides client programs with the services and connection parameters of all farms of a site.',
    ...sections.map(([title, text]) => `## ${title}\n${text}`),
  ].join('\n\n'),
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
};
