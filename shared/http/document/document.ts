import { OpenAPIHono, type RouteConfig } from '@hono/zod-openapi';
import type { ModuleApp } from '../serve/app.ts';
import { exampleOf } from './examples.ts';
import {
  healthOperations,
  healthProblems,
  healthSchemas,
  healthSecurity,
  healthServers,
  isOnHealthPort,
} from './health.ts';
import { info } from './info.ts';
import { nameShapes } from './names.ts';
import { describeOperation } from './operation.ts';
import {
  Problem,
  problemName,
  problemResponseOf,
  problemsOf,
  ResultRefusal,
  ScimRefusal,
} from './problems.ts';
import type { Document as SampledDocument } from './samples/call.ts';
import { samplesOf } from './samples/samples.ts';
import { createSchemas, type Schema } from './schemas.ts';
import { tagGroupsOf, tagsOf } from './tags.ts';

export type OpenApiDocument = ReturnType<OpenAPIHono['getOpenAPI31Document']>;
type DescribedModule = Pick<ModuleApp, 'name' | 'operations'>;

/**
 * Creates the OpenAPI 3.1 document of these modules and of the health port. The same declarations always give the same
 * document. Only code that runs at build time may import this file, because it must not be part of the deployed
 * functions.
 */
export function documentOf(modules: readonly DescribedModule[]): OpenApiDocument {
  const registry = new OpenAPIHono();
  const operations = modules.flatMap((module) => module.operations);
  const schemas = createSchemas(nameShapes(operations));
  schemas.output(Problem);
  schemas.output(ResultRefusal);
  schemas.output(ScimRefusal);
  const routes = [
    ...operations.map((operation) => describeOperation(operation, schemas)),
    ...healthOperations,
  ];
  for (const route of routes.sort(byAddress)) {
    // The types of the library are narrower than JSON Schema. At run time, it passes schemas on unchanged.
    registry.openAPIRegistry.registerPath(route as RouteConfig);
  }
  const problems = [
    ...operations.flatMap((operation) => refusalsOf(problemsOf(operation), operation.path)),
    ...refusalsOf(healthProblems),
  ];
  const components = {
    schemas: { ...schemas.components(), ...healthSchemas },
    responses: Object.fromEntries(problems),
    examples: examplesOf(routes, schemas.components()),
    parameters,
    headers,
    securitySchemes: {
      SessionToken: sessionToken,
      BrowserSession: browserSession,
      MachineToken: machineToken,
      ScimToken: scimToken,
      ...healthSecurity,
    },
  };
  const groups = tagGroupsOf([...modules, { name: 'health', operations: [{ id: 'health.check' }] }]);
  const { webhooks: _, ...document } = registry.getOpenAPI31Document({ ...frame, tags: tagsOf(groups) });
  const paths = withServers(document.paths ?? {});
  const whole = { ...document, paths, 'x-tagGroups': groups, components: sorted(components) };
  return { ...whole, paths: withSamples(whole) } as OpenApiDocument;
}

/** Adds code samples to the operations. They are generated from the document. */
function withSamples(document: SampledDocument): SampledDocument['paths'] {
  const sampled = (path: string, name: string, node: unknown) =>
    name === 'servers' ? node : { ...Object(node), 'x-codeSamples': samplesOf(document, path, name) };
  return Object.fromEntries(
    Object.entries(document.paths).map(([path, item]) => [
      path,
      Object.fromEntries(Object.entries(item).map(([name, node]) => [name, sampled(path, name, node)])),
    ]),
  );
}

/** Many tools read `servers` only in the path item and in the document. */
const withServers = <Item extends object>(paths: Record<string, Item>) =>
  Object.fromEntries(
    Object.entries(paths).map(([path, item]) => [
      path,
      isOnHealthPort(path) ? { servers: healthServers, ...item } : item,
    ]),
  );

const refusalsOf = (problems: ReturnType<typeof problemsOf>, path?: string) =>
  problems.map(([status, codes]) => [
    problemName(status, codes, path),
    problemResponseOf(status, codes, path),
  ]);

const frame = {
  openapi: '3.1.0',
  info,
  servers: [{ url: '/', description: 'This portal (production or test)', 'x-internal': false }],
};

const sessionToken = {
  type: 'apiKey',
  in: 'header',
  name: 'X-Auth-Token',
  description:
    'Token of a login session, or a service token. If the operation requires a permission, a role of the user must grant it.',
};

const browserSession = {
  type: 'apiKey',
  in: 'cookie',
  name: '__Host-session',
  description: 'Cookie that `/signin` sets. Only pages of the portal use it; API operations require a token.',
};

const machineToken = {
  type: 'http',
  scheme: 'bearer',
  description: 'Token of a gateway, or token that a session agent received at registration.',
};

const scimToken = {
  type: 'http',
  scheme: 'bearer',
  description: 'Service token with the permission `scim.provision` alone, of a service user of the domain.',
};

const text = { type: 'string' };
const header = (description: string, schema: object = text) => ({ description, schema });
const requestHeader = (name: string, description: string, schema: object = text) => ({
  name,
  in: 'header',
  required: false,
  description,
  schema,
});
const requestId = { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$', maxLength: 128 };

const parameters = {
  'X-Request-Id': requestHeader(
    'X-Request-Id',
    'Identifier of the request, chosen by the caller. Default: generated by the portal.',
    requestId,
  ),
  'If-Match': requestHeader(
    'If-Match',
    '`ETag` of an earlier response. The write is rejected with 412 if the object has changed since.',
  ),
  'Idempotency-Key': requestHeader(
    'Idempotency-Key',
    'Key chosen by the caller. For 24 hours, a request with the same key receives the response of the first one and is not run again.',
    { type: 'string', minLength: 1, maxLength: 255 },
  ),
  'X-Dry-Run': requestHeader(
    'X-Dry-Run',
    '`true` validates the request and describes its effect without changing anything. Default `false`.',
    { type: 'string', enum: ['true', 'false'] },
  ),
  'X-Consistency-Token': requestHeader(
    'X-Consistency-Token',
    'Header of an earlier response to a write. The response contains at least that write, also if a read replica answers.',
    { type: 'string', maxLength: 512 },
  ),
  'X-Background': requestHeader(
    'X-Background',
    '`true` for a request that no action of the user has caused, such as a periodic refresh: it does not extend the session. Default `false`.',
    { type: 'string', enum: ['true', 'false'] },
  ),
  'If-None-Match': requestHeader(
    'If-None-Match',
    '`ETag` of an earlier response. The response is 304 if the object has not changed since.',
  ),
};

const headers = {
  'X-Request-Id': header('Identifier of the request, as in the logs.', requestId),
  'X-Consistency-Token': header(
    'Position of the write, if the portal has a read replica. Send it with later reads.',
  ),
  ETag: header('Version of the object, for `If-Match` and `If-None-Match`.'),
  Location: header('Relative address of the new object.'),
  Link: header('Relative address of the next page with `rel="next"`. Absent on the last page.'),
  'WWW-Authenticate': header(
    'Authentication scheme: `Token realm="aggregator"`. On the health port the realm names the required key.',
  ),
  RateLimit: header(
    'Remaining requests `r` and seconds `t` until the next request is allowed: `"<policy>";r=0;t=<seconds>`.',
  ),
  'RateLimit-Policy': header(
    'Allowed requests `q` in a window of `w` seconds: `"<policy>";q=<requests>;w=60`.',
  ),
  'Retry-After': header('Seconds after which the request can be retried.', {
    type: 'integer',
    format: 'int32',
    minimum: 1,
  }),
};

const verbs = ['get', 'post', 'put', 'patch', 'delete'];

type Route = { path: string; method: string };

const byAddress = (a: Route, b: Route): number => {
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  return verbs.indexOf(a.method) - verbs.indexOf(b.method);
};

/** Creates the examples that bodies and responses refer to, each from the component of the same name. */
function examplesOf(routes: readonly object[], components: Record<string, Schema>) {
  const names = [...JSON.stringify(routes).matchAll(/"#\/components\/examples\/(\w+)"/g)].map(
    ([, name = '']) => name,
  );
  return Object.fromEntries(
    names.map((name) => [name, { value: exampleOf(components[name] ?? {}, components) }]),
  );
}

function sorted(components: Record<string, object>): Record<string, object> {
  return Object.fromEntries(
    Object.entries(components).map(([kind, entries]) => [
      kind,
      Object.fromEntries(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1))),
    ]),
  );
}
