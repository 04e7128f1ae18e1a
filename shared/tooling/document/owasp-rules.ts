import type { Oas3Rule } from '@redocly/openapi-core';
import {
  type Fact,
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

type Faulty = (document: Node) => Fact[];

const lengths = ['maxLength', 'enum', 'const'];
const missing = (node: Node, ...names: string[]): boolean => names.every((name) => node[name] === undefined);
const parametersIn = (document: Node): Fact[] => inputsIn(document).filter(({ place }) => place !== 'body');
const isOf = (type: string) => (fact: Fact) => [fact.node.type].flat().includes(type);

/**
 * The rules of the OWASP ruleset for APIs (Stoplight's, edition 2023) that say something about a document of OpenAPI 3.1,
 * by their names there. What limits resources is asked of what callers send; how long answers are nobody can abuse. Left
 * out are what our interface decides otherwise: no header for other origins, because pages of others have no business
 * here, quotas told when they are used up, texts that people write as they like, and one kind of session for everybody.
 */
const rules: Record<string, Faulty> = {
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

/** Rules that apply to a place though it is right as it is, with the reason; the place is a JSON Pointer. */
const exceptions: readonly { rule: RegExp; at: RegExp; because: string }[] = [
  {
    rule: /restricted/,
    at: /^#\/paths\/~1(signin|api~1auth~1v7.0~1(login(~12fa)?|authenticators~1\{auth_uuid\}~1pkinit~1\w+))\/\w+$/,
    because: 'whoever begins a session has none yet',
  },
  {
    rule: /restricted/,
    at: /^#\/paths\/~1api~1auth~1v7.0~1(authenticators|jwks|jwtauth)\/(get|post)$/,
    because:
      'the domains to choose from, our public keys, and a login by a signed token come before a session',
  },
  {
    rule: /restricted/,
    at: /^#\/paths\/~1api~1aggregator~1v7.0~1portals~1heartbeat\/post$/,
    because: 'a portal brings a token that its key has signed, in the body',
  },
  {
    rule: /restricted|rate-limit-responses/,
    at: /^#\/paths\/~1(livez|readyz|api~1errors~1\{code\})\/get$/,
    because: 'load balancers ask whether we live as often as they like; what an error means is no secret',
  },
  {
    rule: /restricted|credentials-in-url|rate-limit-responses|error-validation/,
    at: /^#\/paths\/~1api~1(agent|ssa|wsproxy)~1/,
    because:
      'as specified these callers bring credentials of their own, gateways in the path, and learn no reasons',
  },
  {
    rule: /error-responses-401/,
    at: /^#\/paths\/~1api~1wsproxy~1v7.0~1heartbeat\/post$/,
    because: 'gateway servers expect 403 for a token that is not known',
  },
  {
    rule: /rate-limit-responses|error-validation/,
    at: /^#\/paths\/~1aggregator~1health~1/,
    because: 'on a port of its own, for monitors only, and takes no input',
  },
  {
    rule: /restricted|credentials-in-url/,
    at: /^#\/paths\/~1aggregator~1health~1check~1\{key\}/,
    because: 'for monitors that send no headers; the key opens nothing but pass or fail',
  },
  {
    rule: /string-limit/,
    at: /^#\/(components\/parameters\/If-(None-)?Match|paths\/~1api~1[~\w]+~1images~1.*\{image_id\})\//,
    because:
      'headers are limited by every server; for a name of no picture, however long, there is a default',
  },
  {
    rule: /string-limit/,
    at: /^#\/components\/schemas\/(Agent|Ssa)\w+Body\//,
    because: 'what an agent tells at too great a length is cut, not refused; the body has a limit of bytes',
  },
  {
    rule: /integer-limit/,
    at: /^#\/paths\/~1api~1webui~1aggregator~1audit~1verify\//,
    because: 'events of the audit are numbered without an end',
  },
];

const isExcepted = (rule: string, pointer: string): boolean =>
  exceptions.some((one) => one.rule.test(rule) && one.at.test(pointer));

/** As a plugin of Redocly; every rule is an error. */
export const owasp = {
  id: 'owasp',
  rules: {
    oas3: Object.fromEntries(Object.entries(rules).map(([name, faulty]) => [name, ruleOf(name, faulty)])),
  },
};
export const owaspSeverities = Object.fromEntries(
  Object.keys(rules).map((name) => [`owasp/${name}` as const, 'error' as const]),
);

function ruleOf(name: string, faulty: Faulty): Oas3Rule {
  return () => ({
    Root(root, { report, location }) {
      // What operations share is found with each of them.
      const places = new Map(faulty(isObject(root) ? root : {}).map(({ pointer, at }) => [pointer, at]));
      for (const [pointer, at] of places)
        if (!isExcepted(name, pointer)) report({ message: name, location: location.child([...at]) });
    },
  });
}
