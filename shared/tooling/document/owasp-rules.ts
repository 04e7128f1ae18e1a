import type { Oas3Rule } from '@redocly/openapi-core';
import {
  type DocumentNode,
  inputsIn,
  isObject,
  isOpen,
  lacking,
  type Node,
  operationsIn,
  responsesIn,
  schemasIn,
  schemesIn,
  serversIn,
} from './owasp-facts.ts';

type Rule = (document: Node) => DocumentNode[];

const lengths = ['maxLength', 'enum', 'const'];
const missing = (node: Node, ...names: string[]): boolean => names.every((name) => node[name] === undefined);
const parametersIn = (document: Node): DocumentNode[] =>
  inputsIn(document).filter(({ place }) => place !== 'body');
const isOf = (type: string) => (fact: DocumentNode) => [fact.node.type].flat().includes(type);

/**
 * The rules of the OWASP ruleset for APIs (Stoplight's, edition 2023) that apply to OpenAPI 3.1, with their names.
 * Resource limits are only required for request data. Rules that conflict with our interface are excluded: CORS
 * headers (pages of other origins have no access), quota headers on every response, limits on free text, and several
 * kinds of sessions.
 */
const rules: Record<string, Rule> = {
  'api1-no-numeric-ids': (document) =>
    parametersIn(document).filter((fact) => isOf('integer')(fact) && /^id$|(_id|Id|-id)$/.test(fact.name)),
  'api2-no-http-basic': (document) => schemesIn(document).filter(({ node }) => node.scheme === 'basic'),
  'api2-auth-insecure-schemes': (document) =>
    schemesIn(document).filter(({ node }) => /^(negotiate|oauth)$/.test(String(node.scheme))),
  'api2-no-api-keys-in-url': (document) =>
    schemesIn(document).filter(
      ({ node }) => node.type === 'apiKey' && /^(path|query)$/.test(String(node.in)),
    ),
  'api2-no-credentials-in-url': (document) =>
    parametersIn(document).filter(
      ({ place, name }) => /^(path|query)$/.test(place) && /secret|token|password|api-?key/i.test(name),
    ),
  'api2-restricted': (document) => operationsIn(document).filter(({ node }) => isOpen(node)),
  'api4-rate-limit': (document) =>
    responsesIn(document, '429').filter(
      ({ node }) => !isObject(node.headers) || missing(node.headers, 'RateLimit'),
    ),
  'api4-rate-limit-retry-after': (document) =>
    responsesIn(document, '429').filter(
      ({ node }) => !isObject(node.headers) || missing(node.headers, 'Retry-After'),
    ),
  'api4-rate-limit-responses-429': (document) => lacking(document, ['429']),
  'api4-array-limit': (document) =>
    inputsIn(document).filter((fact) => isOf('array')(fact) && missing(fact.node, 'maxItems')),
  'api4-string-limit': (document) =>
    inputsIn(document).filter((fact) => isOf('string')(fact) && missing(fact.node, ...lengths)),
  'api4-integer-limit': (document) =>
    inputsIn(document).filter(
      (fact) =>
        isOf('integer')(fact) &&
        (missing(fact.node, 'minimum', 'exclusiveMinimum') ||
          missing(fact.node, 'maximum', 'exclusiveMaximum')),
    ),
  'api4-integer-format': (document) =>
    schemasIn(document).filter((fact) => isOf('integer')(fact) && missing(fact.node, 'format')),
  'api7-concerning-url-parameter': (document) =>
    parametersIn(document).filter(({ name }) => /^(callback|redirect)|(_url|Url|-url)$/.test(name)),
  'api8-no-server-http': (document) =>
    serversIn(document).filter(({ node }) => /^http:/.test(String(node.url))),
  'api8-define-error-validation': (document) => lacking(document, ['400', '422', '4XX']),
  'api8-define-error-responses-401': (document) =>
    lacking(document, ['401']).filter(({ node }) => !isOpen(node)),
  'api8-define-error-responses-500': (document) => lacking(document, ['500']),
  'api9-inventory-access': (document) =>
    serversIn(document).filter(({ node }) => missing(node, 'x-internal')),
  'api9-inventory-environment': (document) =>
    serversIn(document).filter(
      ({ node }) => !/local|sandbox|alpha|beta|test|stag|prod|next/i.test(String(node.description)),
    ),
};

/** Rules that do not apply at a position (a JSON Pointer), with the reason. */
const exceptions: readonly { rule: RegExp; at: RegExp; because: string }[] = [
  {
    rule: /restricted/,
    at: /^#\/paths\/~1(signin|api~1auth~1v7.0~1(login(~12fa)?|passkeys~1(sign-in|second-factor)(~1options)?|authenticators~1\{auth_uuid\}~1pkinit~1\w+))\/\w+$/,
    because: 'these operations begin a session',
  },
  {
    rule: /restricted/,
    at: /^#\/paths\/~1api~1auth~1v7.0~1oidc~1\{auth_uuid\}~1jwks\/get$/,
    because: 'an identity provider reads the public keys of the portal, and has no session',
  },
  {
    rule: /restricted/,
    at: /^#\/paths\/~1api~1auth~1v7.0~1(authenticators|jwks|jwtauth)\/(get|post)$/,
    because:
      'the list of domains, the public keys, and the login with a signed token are used before a session exists',
  },
  {
    rule: /restricted/,
    at: /^#\/paths\/~1api~1auth~1v7.0~1oidc~1(\{auth_uuid\}~1(start|backchannel-logout|jwks)|callback|second-factor|signed-out)\/\w+$/,
    because:
      'browsers come from an identity provider without a session, and providers sign what they send and read public keys',
  },
  {
    rule: /restricted/,
    at: /^#\/paths\/~1(api~1auth~1v7.0~1oidc~1(token|\{auth_uuid\}~1device)|device|\.well-known~1oauth-authorization-server~1api~1auth~1v7.0~1oidc~1\{auth_uuid\})\/\w+$/,
    because: 'programs and devices have no session yet, and no secret of their own',
  },
  {
    rule: /concerning-url-parameter/,
    at: /^#\/paths\/~1api~1auth~1v7.0~1oidc~1\{auth_uuid\}~1start\/get\//,
    because: 'the redirect address can only be one of the computer of the browser (RFC 8252)',
  },
  {
    rule: /restricted/,
    at: /^#\/paths\/~1api~1aggregator~1v7.0~1portals~1heartbeat\/post$/,
    because: 'the body contains a token signed with the key of the portal',
  },
  {
    rule: /restricted|rate-limit-responses/,
    at: /^#\/paths\/~1(livez|readyz|api~1errors~1\{code\})\/get$/,
    because: 'load balancers probe without a limit, and the descriptions of errors are public',
  },
  {
    rule: /restricted/,
    at: /^#\/paths\/~1(home~1(icons~1\{file\}|app\.webmanifest|worker\.js|offline)|(home|signin)~1files~1\{file\})\/get$/,
    because:
      'browsers load the code of the page and what installs it without a session; none of it has data of users',
  },
  {
    rule: /restricted|credentials-in-url|rate-limit-responses|error-validation/,
    at: /^#\/paths\/~1api~1(agent|ssa|wsproxy)~1/,
    because:
      'as specified, these callers use other credentials, gateways in the path, and get no error details',
  },
  {
    rule: /error-responses-401/,
    at: /^#\/paths\/~1api~1wsproxy~1v7.0~1heartbeat\/post$/,
    because: 'gateway servers expect 403 for an unknown token',
  },
  {
    rule: /rate-limit-responses|error-validation/,
    at: /^#\/paths\/~1aggregator~1health~1/,
    because: 'on a separate port, for monitors only, and without input',
  },
  {
    rule: /restricted|credentials-in-url/,
    at: /^#\/paths\/~1aggregator~1health~1check~1\{key\}/,
    because: 'for monitors that cannot send headers; the key only gives access to pass or fail',
  },
  {
    rule: /string-limit/,
    at: /^#\/(components\/parameters\/If-(None-)?Match|paths\/~1api~1[~\w]+~1images~1.*\{image_id\})\//,
    because: 'servers limit headers; an unknown picture name of any length results in a default',
  },
  {
    rule: /string-limit/,
    at: /^#\/components\/schemas\/(Agent|Ssa)\w+Body\//,
    because: 'long values from agents are truncated instead of rejected; the size of the body is limited',
  },
];

const isExcepted = (rule: string, pointer: string): boolean =>
  exceptions.some((one) => one.rule.test(rule) && one.at.test(pointer));

/** As a Redocly plugin; every rule is an error. */
export const owasp = {
  id: 'owasp',
  rules: {
    oas3: Object.fromEntries(Object.entries(rules).map(([name, faulty]) => [name, ruleOf(name, faulty)])),
  },
};
export const owaspSeverities = Object.fromEntries(
  Object.keys(rules).map((name) => [`owasp/${name}` as const, 'error' as const]),
);

function ruleOf(name: string, faulty: Rule): Oas3Rule {
  return () => ({
    Root(root, { report, location }) {
      // A shared node is found once per operation.
      const places = new Map(faulty(isObject(root) ? root : {}).map(({ pointer, at }) => [pointer, at]));
      for (const [pointer, at] of places)
        if (!isExcepted(name, pointer)) report({ message: name, location: location.child([...at]) });
    },
  });
}
