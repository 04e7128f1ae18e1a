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
Log in with \`POST /api/auth/v7.0/login\` and send the token of the answer in the header \`X-Auth-Token\`. \`authSmallName\`
names the domain; \`GET /api/auth/v7.0/authenticators\` lists the domains.

\`\`\`sh
curl https://portal.example.com/api/auth/v7.0/login -H 'content-type: application/json' \\
  -d '{"username":"admin","password":"…","authSmallName":"builtin"}'
curl https://portal.example.com/api/userinfo -H "X-Auth-Token: $TOKEN"
\`\`\`

By default a session ends ${limits.session} seconds after the login, or after ${limits.idle} seconds without a request;
\`POST /api/auth/v7.0/logout\` ends it at once. A domain with a second factor uses \`POST /api/auth/v7.0/login/2fa\`.
Programs use a service token, which an administrator creates and which goes into the same header. 401 \`unauthenticated\`
means that the header is missing, 401 \`invalid_token\` that the token has ended: log in again. 403 \`forbidden\` names the
permission that is required. Only HTTPS is served.`;

const paging = `
Lists of records answer \`{"items": […], "next": "…"}\`. \`limit\` sets the items of a page (default 50, at most 500). To read
the next page, repeat the request with \`cursor\` set to \`next\`; the last page has \`next: null\`. The header \`Link\` with
\`rel="next"\` has the same address. Cursors are opaque, and are valid for the list, the sort key and the filters that they
were issued for; any other use is 400 \`malformed_cursor\`. Objects that are created or deleted between two pages do not shift
the others. \`count=exact\` adds \`total\`. Page numbers and offsets do not exist.`;

const conditional = `
Single objects have an \`ETag\`. Send it as \`If-None-Match\` with a GET to receive 304 without a body while the object is
unchanged. Send it as \`If-Match\` with PUT, PATCH or DELETE to write only if the object was not changed since it was read;
otherwise the answer is 412 \`precondition_failed\`, and nothing is written. Without \`If-Match\` the last write wins.

PATCH takes a JSON Merge Patch (RFC 7396): members that are left out stay, and \`null\` sets the default of a member or removes an
optional value.`;

const idempotency = `
POST and PATCH requests that list the header \`Idempotency-Key\` can be repeated safely after a timeout or a broken connection. Send
a new random value (for example a UUID) with each new request, and the same value with its repetitions. For 24 hours a repetition
is answered as the first request was, without running it again; secrets that are shown once are not repeated. The same key with
another request is 422 \`idempotency_mismatch\`, a key whose request still runs 409 \`idempotency_in_progress\`, and 409
\`outcome_unknown\` means that the first request was interrupted: read the object before trying again with a new key. GET, PUT and
DELETE are idempotent by themselves.`;

const dryRun = `
Write requests that list the header \`X-Dry-Run\` can be tried out: with \`X-Dry-Run: true\` everything is checked, nothing is changed,
and the answer is a 200 with \`{"dry_run": true, "would": {"status": …, "body": …, "events": […]}}\`: the status and body of the real
answer, and the audit events with the changes of each member. Refusals are the same as those of the real request.`;

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

Decide by \`code\`, which is stable; \`detail\` is for people. \`errors\` has one entry for each wrong field: \`pointer\` is a JSON Pointer
into the body, \`?name\` for a query parameter, or the name of a header. \`type\` is the address of a page about the code. \`instance\`
is the id of the request, which the logs have too; a request may set it by \`X-Request-Id\`. Try again only if \`retryable\` is true, after
the seconds of \`Retry-After\`. Calls of agents (\`/api/agent\`, \`/api/ssa\`) are refused as \`{"result": null, "error": "<code>: …"}\`.

A server can refuse any request before it selects an operation: 400 \`malformed_request\`, 404 \`not_found\`,
405 \`method_not_allowed\`, 408 \`request_timeout\`, 417 \`expectation_failed\`, 431 \`headers_too_large\`.`;

const sizes = `
A JSON body has at most ${jsonLimits.depth} levels, ${jsonLimits.members} members in one object, ${jsonLimits.names} different
member names and ${jsonLimits.values} members and elements in all. Each operation states its limit in KiB; a larger body is 413
\`body_too_large\`. Bodies are UTF-8 and are not compressed. Unknown members and unknown query parameters are
refused. A refusal lists at most 100 wrong fields.`;

const rates = `
By default each session may send ${limits.token} requests a minute, and each address (IPv4, or IPv6 /64) ${limits.address}
without a valid token; administrators change this by system parameters. A request above the limit is 429 \`rate_limited\` with
\`Retry-After\`, \`RateLimit\` and \`RateLimit-Policy\`. Failed logins are limited separately: 429 \`locked_out\`.`;

const versioning = `
This document describes version 7.0. Paths that carry a version have the segment \`v7.0\`. Within this version operations, members,
error codes and values of enumerations are only added: ignore members that you do not know, and treat unknown codes by their status.
A trailing slash has no meaning, and HEAD is answered wherever GET is.`;

const sections: readonly [title: string, text: string][] = [
  ['Login', login],
  ['Paging', paging],
  ['Conditional requests', conditional],
  ['Idempotency', idempotency],
  ['Dry run', dryRun],
  ['Errors', errors],
  ['Limits', sizes],
  ['Rate limiting', rates],
  ['Versioning', versioning],
];

/** `info` of the document: what holds for all operations, as CommonMark with one heading for each topic. */
export const info = {
  title: 'Aggregator portal',
  version: '7.0',
  summary: 'One HTTPS/JSON API over several dispatcher sites of a virtual-workplace platform.',
  description: [
    'The portal logs users in, administers sites, farms, dispatcher nodes, users and rules, and gives client programs the services and connection parameters of all farms of a site.',
    ...sections.map(([title, text]) => `## ${title}\n${text}`),
  ].join('\n\n'),
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
};
