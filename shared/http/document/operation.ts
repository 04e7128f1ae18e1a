import { z } from 'zod';
import { isPermission } from '../../context/permissions.ts';
import { isWrite, type Operation, type Shape } from '../declare/operation.ts';
import { bodyLimitOf } from '../serve/body-limits.ts';
import { jsonTypeOf } from '../serve/respond.ts';
import { DryRun } from '../writes/dry-run.ts';
import { takesDryRun } from '../writes/modes.ts';
import { componentOf, exampleOf } from './examples.ts';
import { parametersOf } from './parameters.ts';
import { problemName, problemResponseOf, problemsOf } from './problems.ts';
import type { Schema, Schemas } from './schemas.ts';
import { tagOf } from './tags.ts';

type Described = Omit<Operation<never>, 'run'>;

/** Describes an operation in OpenAPI. Problems and common parameters are references. */
export function describeOperation(operation: Described, schemas: Schemas) {
  const { id, method, path, summary } = operation;
  return {
    method: method.toLowerCase(),
    path,
    operationId: id,
    tags: [tagOf(operation)],
    summary,
    description: [operation.description, onceOf(operation), needOf(operation)].filter(Boolean).join(' '),
    security: securityOf(operation),
    ...(isForAllSites(operation) && { 'x-all-sites': true }),
    parameters: parametersOf(operation, schemas),
    ...(operation.body && { requestBody: bodyOf(operation, operation.body, schemas) }),
    responses: {
      ...successOf(operation, schemas),
      ...Object.fromEntries(
        problemsOf(operation).map(([status, codes]) => [
          status,
          status === operation.orReturns?.[0]
            ? besideProblem(operation.orReturns, problemResponseOf(status, codes, path), schemas)
            : { $ref: `#/components/responses/${problemName(status, codes, path)}` },
        ]),
      ),
    },
  };
}

/** The rule of the guard: writes need the permission for all sites, unless the rows belong to sites. */
const isForAllSites = (operation: Described): boolean =>
  isPermission(operation.access) &&
  (operation.allSites === true || (isWrite(operation) && operation.sited !== true));

function needOf(operation: Described): string {
  const { access, browser, credential } = operation;
  if (credential?.in === 'header') return 'Requires a machine token instead of a session.';
  if (access === 'public') return 'Requires no session.';
  if (browser === 'administrator or token')
    return 'Requires a session on the administrator portal, with its token or its browser cookie.';
  if (browser === 'administrator') return 'Requires a browser session on the administrator portal.';
  if (browser) return 'Requires a browser session.';
  if (access === 'signed-in') return 'Requires a session.';
  const need = `Requires the permission \`${access}\`${isForAllSites(operation) ? ' for all sites' : ''}`;
  return credential?.in === 'member' ? `${need}, or \`${credential.member}\` without a session.` : `${need}.`;
}

function onceOf({ shownOnce = [] }: Described): string {
  if (shownOnce.length === 0) return '';
  const members = shownOnce.map((name) => `\`${name}\` is null and \`${name}_set\` is true`);
  return `Secrets are returned once: if the request is repeated with the same \`Idempotency-Key\`, ${members.join(', ')}.`;
}

/** Since OpenAPI 3.1, a security requirement of any scheme can list roles. The list contains the permission. */
function securityOf({ access, browser, credential, protocol }: Described) {
  if (protocol === 'scim') return [{ ScimToken: [access] }];
  if (credential?.in === 'header') return [{ MachineToken: [] }];
  if (access === 'public') return [];
  if (browser === 'administrator or token') return [{ SessionToken: [] }, { BrowserSession: [] }];
  if (browser) return [{ BrowserSession: [] }];
  const session = { SessionToken: access === 'signed-in' ? [] : [access] };
  return credential ? [session, {}] : [session];
}

function bodyOf(operation: Described, body: NonNullable<Described['body']>, schemas: Schemas) {
  const required = 'required' in body;
  const media = mediaOf(schemas.input(required ? body.required : body.optional), schemas);
  return {
    description: `At most ${bodyLimitOf(operation) / 1_024} KiB`,
    required,
    content: requestContentOf(operation, media),
  };
}

function requestContentOf(operation: Described, media: Schema): Record<string, Schema> {
  const { form, method, protocol } = operation;
  const isMerge = method === 'PATCH' && protocol === undefined;
  return {
    ...(form && { 'application/x-www-form-urlencoded': media }),
    ...(protocol === 'scim' && { [jsonTypeOf(operation)]: media }),
    ...(form !== true && { 'application/json': media }),
    ...(isMerge && { 'application/merge-patch+json': media }),
  };
}

const outcomes = {
  200: 'Success',
  201: 'Created',
  202: 'Accepted',
  204: 'Success; the response has no body',
  302: 'A redirection to a page',
  303: 'A redirection of the browser to the program',
  400: 'The request is refused',
  503: 'Not available; the response has no body',
};

function successOf(operation: Described, schemas: Schemas) {
  const [status, shape] = operation.returns;
  const headers = Object.fromEntries(
    headersOf(operation).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
  const success = {
    description: shape || !operation.alsoReturns ? outcomes[status] : 'The requested document',
    headers,
    ...((shape || operation.alsoReturns) && { content: contentOf(shape, operation, schemas) }),
  };
  const isCacheable = operation.conditional && operation.method === 'GET';
  return {
    [status]: success,
    ...(isCacheable && { 304: { description: 'Not modified', headers } }),
    ...(operation.orReturns && {
      [operation.orReturns[0]]: otherOf(operation, operation.orReturns, headers, schemas),
    }),
    ...(takesDryRun(operation) && { 200: dryRunOf(status === 200 ? success : undefined, schemas) }),
  };
}

const otherOf = (
  operation: Described,
  [status, shape]: NonNullable<Described['orReturns']>,
  headers: object,
  schemas: Schemas,
) => ({
  description: outcomes[status],
  headers: shape ? { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } } : headers,
  ...(shape && { content: { [jsonTypeOf(operation)]: mediaOf(schemas.output(shape), schemas) } }),
});

/** Describes a refusal in a form of the operation, which has the status of a problem. */
function besideProblem(
  [, shape]: NonNullable<Described['orReturns']>,
  problem: ReturnType<typeof problemResponseOf>,
  schemas: Schemas,
) {
  const own = shape && { 'application/json': mediaOf(schemas.output(shape), schemas) };
  return { ...problem, content: { ...own, ...problem.content } };
}

type Success = {
  description: string;
  headers: object;
  content?: Record<string, { schema: Schema }> | undefined;
};

/** Describes the response to `X-Dry-Run: true`, combined with the real response if both have the status 200. */
function dryRunOf(real: Success | undefined, schemas: Schemas) {
  const described = 'With `X-Dry-Run: true`: the effect that the request would have';
  const { schema, examples = {} } = mediaOf(schemas.output(DryRun), schemas);
  const json = real?.content?.['application/json'];
  if (!real || !json) {
    const headers = { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } };
    const content = { 'application/json': { schema, examples } };
    return { description: described, headers, content, 'x-dry-run': true };
  }
  const { schema: own, example, ...shown } = { example: undefined, ...json };
  const first = example === undefined ? Reflect.get(shown, 'examples') : { done: { value: example } };
  const both = { schema: { anyOf: [own, schema] }, examples: { ...first, ...examples } };
  return { ...real, description: `${real.description}. ${described}`, content: { 'application/json': both } };
}

function contentOf(shape: Shape | null, operation: Described, schemas: Schemas) {
  const { mediaType, alsoReturns = [] } = operation;
  return {
    ...(shape && { [mediaType ?? jsonTypeOf(operation)]: mediaOf(schemas.output(shape), schemas) }),
    ...Object.fromEntries(alsoReturns.map((type) => [type, documentOf(type)])),
  };
}

/** The content of a JSON file is not described here. The example only shows that it is valid JSON. */
const documentOf = (type: string) => ({
  schema: documentSchema(type),
  ...(type.includes('json') && { example: exampleFiles[type] ?? {} }),
});
const exampleFiles: Record<string, unknown> = { 'application/json': [], 'application/x-ndjson': '{}\n' };

/** Binary content has no type in JSON Schema. Since OpenAPI 3.1, its media type is sufficient. */
const documentSchema = (type: string): Schema =>
  /^text\/|[+/]xml$/.test(type) ? { type: 'string' } : { contentMediaType: type };

/** The example of a component is a reference, so that it occurs once in the document. */
function mediaOf(schema: Schema, schemas: Schemas) {
  const name = componentOf(schema);
  return name
    ? { schema, examples: { [name]: { $ref: `#/components/examples/${name}` } } }
    : { schema, example: exampleOf(schema, schemas.components()) };
}

function headersOf(operation: Described): string[] {
  const { access, alsoReturns, conditional, query, protocol } = operation;
  const [status, shape] = operation.returns;
  const isPaged = query instanceof z.ZodObject && Object.hasOwn(query.shape, 'cursor');
  return [
    'X-Request-Id',
    ...(status === 201 ? ['Location'] : []),
    ...((shape || alsoReturns) && (status === 201 || conditional) ? ['ETag'] : []),
    ...(isPaged && protocol === undefined ? ['Link'] : []),
    ...(isWrite(operation) && access !== 'public' ? ['X-Consistency-Token'] : []),
  ];
}
