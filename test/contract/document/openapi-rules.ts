import type { Json } from '../../support/portal.ts';

type Fault = string;

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
const types = ['null', 'boolean', 'object', 'array', 'number', 'string', 'integer'];
const kinds = [
  'schemas',
  'responses',
  'parameters',
  'examples',
  'requestBodies',
  'headers',
  'securitySchemes',
];

/** Violations of the OpenAPI 3.1 specification, and of lint rules; empty for a valid document. */
export function faultsOf(document: Json): Fault[] {
  return [
    ...need(/^3\.1\.\d+$/.test(document.openapi), 'openapi is not 3.1'),
    ...need(document.info?.title && document.info?.version === '7.0', 'info lacks title or version'),
    ...Object.entries<Json>(document.paths).flatMap(([path, item]) => pathFaults(document, path, item)),
    ...componentFaults(document),
    ...uniqueFaults(document),
    ...walk(document, '#', (node, at) => referenceFaults(document, node, at)),
  ];
}

/** A path item without the servers that answer it. */
const verbsOf = ({ servers: _, ...verbs }: Json): Json => verbs;

const need = (holds: unknown, fault: Fault): Fault[] => (holds ? [] : [fault]);

function pathFaults(document: Json, path: string, item: Json): Fault[] {
  return [
    ...need(path.startsWith('/'), `${path} does not begin with /`),
    ...Object.entries<Json>(verbsOf(item)).flatMap(([method, operation]) => [
      ...need(methods.includes(method), `${path} has a method ${method}`),
      ...operationFaults(document, operation, path).map((fault) => `${method} ${path}: ${fault}`),
    ]),
  ];
}

function operationFaults(document: Json, operation: Json, path: string): Fault[] {
  const { operationId, summary, description, tags = [], responses, requestBody, security } = operation;
  const known = new Set((document.tags ?? []).map(({ name }: Json) => name));
  const statuses = Object.keys(responses ?? {});
  return [
    ...need(/^[a-z][A-Za-z_]*\.[a-z][A-Za-z]*$/.test(operationId), `operationId ${operationId}`),
    ...need(summary && description, 'no summary or description'),
    ...need(
      tags.every((tag: string) => known.has(tag)),
      `tags ${tags}`,
    ),
    ...need(tags.length === 1, 'listed under several tags'),
    ...need(Array.isArray(security), 'security is not said'),
    ...(security ?? [])
      .flatMap(Object.keys)
      .flatMap((name: string) =>
        need(document.components.securitySchemes[name], `no security scheme ${name}`),
      ),
    ...need(
      statuses.every((status) => /^[1-5]\d\d$/.test(status)),
      `statuses ${statuses}`,
    ),
    ...need(
      statuses.some((status) => status < '300'),
      'no success',
    ),
    ...need(
      statuses.some((status) => status >= '400' && status < '500'),
      'no 4xx',
    ),
    ...need(
      statuses.some((status) => status >= '500'),
      'no 5xx',
    ),
    ...statuses.flatMap((status) => responseFaults(document, responses[status], status)),
    ...need(!requestBody || Object.keys(requestBody.content).length > 0, 'a body without content'),
    ...contentFaults(requestBody?.content, 'body'),
    ...parameterFaults(document, operation.parameters ?? [], path),
  ];
}

function responseFaults(document: Json, given: Json, status: string): Fault[] {
  const response = follow(document, given);
  return [
    ...need(response?.description, `${status} has no description`),
    ...need(
      status < '400' || !response?.content || isProblem(response) || status === '503',
      `${status} is no problem`,
    ),
    ...contentFaults(response?.content, status),
  ];
}

/** Modules with one result format use it for refusals as well. A form of the operation can stand beside the problem. */
const isProblem = ({ content }: Json): boolean =>
  content['application/problem+json'] !== undefined ||
  content['application/scim+json']?.schema?.$ref === '#/components/schemas/ScimRefusal' ||
  content['application/json']?.schema.allOf?.[0].$ref === '#/components/schemas/ResultRefusal';

const contentFaults = (content: Json, at: string): Fault[] =>
  Object.entries<Json>(content ?? {}).flatMap(([type, { schema, example, examples }]) => [
    ...need(/^[a-z]+\/[a-z+.-]+$/.test(type), `${at}: media type ${type}`),
    ...need(schema, `${at}: ${type} has no schema`),
    ...need(!type.includes('json') || example !== undefined || examples, `${at}: ${type} has no example`),
    ...need(example === undefined || !examples, `${at}: both example and examples`),
  ]);

function parameterFaults(document: Json, given: Json[], path: string): Fault[] {
  const parameters = given.map((parameter) => follow(document, parameter));
  const keys = parameters.map(({ in: place, name }) => `${place} ${name}`);
  const inPath = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
  const wanted = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name);
  return [
    ...need(new Set(keys).size === keys.length, `a parameter twice: ${keys}`),
    ...need(inPath.sort().join() === wanted.sort().join(), `path parameters ${inPath} for ${wanted}`),
    ...parameters.flatMap(({ in: place, name, schema, required }) => [
      ...need(['path', 'query', 'header', 'cookie'].includes(place), `${name} is in ${place}`),
      ...need(schema, `${name} has no schema`),
      ...need(place !== 'path' || required === true, `${name} is not required`),
    ]),
  ];
}

function componentFaults({ components }: Json): Fault[] {
  return Object.entries<Json>(components).flatMap(([kind, entries]) => [
    ...need(kinds.includes(kind), `components.${kind}`),
    ...Object.keys(entries).flatMap((name) => need(/^[a-zA-Z0-9_-]+$/.test(name), `component name ${name}`)),
    ...(kind === 'schemas' ? walk(entries, '#/components/schemas', schemaFaults) : []),
  ]);
}

function schemaFaults(node: Json, at: string): Fault[] {
  // Below `examples` and `properties` are values and names, not keywords.
  if (/\/(examples|example|default|enum|const)(\/|$)/.test(at) || at.endsWith('/properties')) return [];
  const given = node.type === undefined ? [] : [node.type].flat();
  return [
    ...need(
      given.every((type: string) => types.includes(type)),
      `${at}: type ${given}`,
    ),
    ...need(!('nullable' in node) && !('example' in node), `${at}: a keyword of OpenAPI 3.0`),
    ...need(
      !('$schema' in node) && !('$defs' in node) && !('id' in node),
      `${at}: a keyword of the generator`,
    ),
    ...(node.required ?? []).flatMap((name: string) =>
      need(node.properties?.[name], `${at}: requires ${name}, which it does not have`),
    ),
    ...need(!given.includes('array') || node.items, `${at}: an array of nothing`),
  ];
}

function uniqueFaults({ paths, components }: Json): Fault[] {
  const ids = Object.values<Json>(paths).flatMap((item) =>
    Object.values<Json>(verbsOf(item)).map((own) => own.operationId),
  );
  const all = JSON.stringify({ paths, components });
  const unused = Object.entries<Json>(components).flatMap(([kind, entries]) =>
    kind === 'securitySchemes'
      ? []
      : Object.keys(entries).filter((name) => !all.includes(`"#/components/${kind}/${name}"`)),
  );
  return [
    ...ids.filter((id, at) => ids.indexOf(id) !== at).map((id) => `operationId ${id} is there twice`),
    ...unused.map((name) => `nothing refers to ${name}`),
  ];
}

const referenceFaults = (document: Json, { $ref }: Json, at: string): Fault[] =>
  $ref === undefined ? [] : need(follow(document, { $ref }), `${at} refers to nothing: ${$ref}`);

function follow(document: Json, node: Json): Json {
  if (typeof node?.$ref !== 'string') return node;
  if (!node.$ref.startsWith('#/')) return undefined;
  const steps: string[] = node.$ref.slice(2).split('/');
  return follow(
    document,
    steps.reduce((inner, step) => inner?.[step], document),
  );
}

function walk(node: Json, at: string, check: (node: Json, at: string) => Fault[]): Fault[] {
  if (typeof node !== 'object' || node === null) return [];
  const own = Array.isArray(node) ? [] : check(node, at);
  return [...own, ...Object.entries(node).flatMap(([name, inner]) => walk(inner, `${at}/${name}`, check))];
}
