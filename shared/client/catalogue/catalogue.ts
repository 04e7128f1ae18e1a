import { fieldOf, fieldsOf, type Resolve, type Schema } from './fields.ts';
import { withRanges } from './ranges.ts';
import type { Catalogue, ListVerb, RecordKind, Verb } from './record-kinds.ts';

type Parameter = { name: string; in: string; description?: string; required?: boolean; schema: Schema };
type Operation = {
  operationId: string;
  summary?: string;
  tags?: string[];
  security?: Record<string, string[]>[];
  parameters?: Schema[];
  requestBody?: Schema;
  responses: Record<string, Schema>;
  'x-all-sites'?: boolean;
};
type Endpoint = Operation & { method: string; path: string };

export type ApiDocument = { paths: Record<string, Record<string, unknown>> };

/** The words for a type of records. */
export type Words = Readonly<Record<string, { one: string; many: string }>>;

const methods = ['get', 'post', 'put', 'patch', 'delete'];
/** Parameters of every list, which are not filters. */
const ofLists = ['limit', 'cursor', 'sort', 'search', 'count', 'refresh', 'ids'];

/** Verbs of the history of a record, which is the same for all kinds. */
const ofHistory = ['listVersions', 'getVersion', 'restore'];

/** Verbs that the catalogue names; others are actions. */
const standard = ['list', 'get', 'create', 'replace', 'update', 'delete', 'bulkDestroy', ...ofHistory];

/**
 * Derives the catalogue of the record kinds of a document: each operation `<type>.list` below a path is a kind, and the
 * other operations of its type are verbs of it.
 * @param document OpenAPI 3.1
 * @param under the start of the paths
 */
export function catalogueOf(document: ApiDocument, words: Words, under: string): Catalogue {
  const resolve = resolverOf(document);
  const endpoints = endpointsOf(document).filter(({ path }) => path.startsWith(under));
  const kinds = endpoints.flatMap((endpoint) => {
    const [type = '', verb] = endpoint.operationId.split('.');
    if (verb !== 'list' || !isPage(endpoint, resolve)) return [];
    return [kindOf(type, endpoint, endpoints, words, resolve)];
  });
  return { kinds };
}

const resolverOf = (document: ApiDocument): Resolve => {
  const resolve: Resolve = (schema) => {
    const { $ref, ...beside } = schema;
    if (typeof $ref !== 'string') return schema;
    const found = $ref
      .slice(2)
      .split('/')
      .reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], document);
    if (found === undefined) throw new Error(`the document has no ${$ref}`);
    return resolve({ ...(found as Schema), ...beside });
  };
  return resolve;
};

const endpointsOf = ({ paths }: ApiDocument): Endpoint[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method];
      return operation ? [{ ...(operation as Operation), method: method.toUpperCase(), path }] : [];
    }),
  );

/** The members of a JSON body. The effect of a dry run is not a record. */
function contentOf(body: Schema | undefined, resolve: Resolve): Schema | undefined {
  const { content } = resolve(body ?? {}) as { content?: Record<string, { schema?: Schema }> };
  const schema = content?.['application/json']?.schema;
  if (!schema) return undefined;
  const forms = (resolve(schema).anyOf ?? [schema]) as Schema[];
  return resolve(forms.find(({ $ref }) => !String($ref).endsWith('/DryRun')) ?? schema);
}

const rowOf = ({ responses }: Endpoint, resolve: Resolve): Schema | undefined => {
  const { properties } = (contentOf(responses['200'], resolve) ?? {}) as {
    properties?: Record<string, Schema>;
  };
  const items = properties?.items;
  return items && properties.next ? resolve((resolve(items).items ?? {}) as Schema) : undefined;
};

const isPage = (endpoint: Endpoint, resolve: Resolve): boolean => rowOf(endpoint, resolve) !== undefined;

const parametersOf = (endpoint: Endpoint, resolve: Resolve): Parameter[] =>
  (endpoint.parameters ?? []).map((parameter) => resolve(parameter) as unknown as Parameter);

const namesInPath = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

function kindOf(
  type: string,
  list: Endpoint,
  endpoints: readonly Endpoint[],
  words: Words,
  resolve: Resolve,
): RecordKind {
  const { one, many } = words[type] ?? { one: type, many: type };
  const own = endpoints.filter(({ operationId }) => operationId.startsWith(`${type}.`));
  const found = (verb: string) => own.find(({ operationId }) => operationId === `${type}.${verb}`);
  const get = found('get');
  const parents = namesInPath(list.path);
  const idParam = get && namesInPath(get.path).find((name) => !parents.includes(name));
  const verb = (name: string): Verb | undefined => {
    const endpoint = found(name);
    return endpoint && verbOf(endpoint, resolve);
  };
  const actions = own.filter(
    ({ operationId, path }) =>
      !standard.includes(operationId.slice(type.length + 1)) && namesInPath(path).length > parents.length,
  );
  const kind: RecordKind = {
    type,
    one,
    many,
    path: list.path,
    parents,
    columns: fieldsOf(rowOf(list, resolve) ?? {}, resolve),
    list: listVerbOf(list, resolve),
    actions: actions.map((endpoint) => verbOf(endpoint, resolve)),
  };
  if (idParam) kind.idParam = idParam;
  for (const name of ['get', 'create', 'update', 'delete', 'bulkDestroy'] as const) {
    const declared = verb(name);
    if (declared) kind[name] = declared;
  }
  return { ...kind, ...historyOf(verb) };
}

function historyOf(verb: (name: string) => Verb | undefined): Pick<RecordKind, 'history'> {
  const [list, get, restore] = ofHistory.map(verb);
  return list && get && restore ? { history: { list, get, restore } } : {};
}

function verbOf(endpoint: Endpoint, resolve: Resolve): Verb {
  const { operationId, method, path, summary = '', security = [], requestBody } = endpoint;
  const names = parametersOf(endpoint, resolve).map(({ name }) => name);
  const body = requestBody && contentOf(requestBody, resolve);
  return {
    id: operationId,
    method,
    path,
    summary,
    permissions: security.flatMap((scheme) => scheme.SessionToken ?? []),
    ...(endpoint['x-all-sites'] && { needsAllSites: true }),
    ...(body && { fields: fieldsOf(body, resolve) }),
    ...(names.includes('X-Dry-Run') && { canTry: true }),
    ...(names.includes('If-Match') && { isConditional: true }),
  };
}

function listVerbOf(endpoint: Endpoint, resolve: Resolve): ListVerb {
  const query = parametersOf(endpoint, resolve).filter((parameter) => parameter.in === 'query');
  const named = (name: string) => query.find((parameter) => parameter.name === name);
  const { enum: keys = [], default: defaultSort = '' } = (named('sort')?.schema ?? {}) as {
    enum?: string[];
    default?: string;
  };
  const search = named('search');
  const filters = withRanges(
    query
      .filter(({ name }) => !ofLists.includes(name))
      .map(({ name, schema, description = '' }) => ({
        field: { ...fieldOf(name, schema, { resolve }), description },
        schema,
      })),
  );
  return {
    ...verbOf(endpoint, resolve),
    sorts: keys.filter((key) => !key.startsWith('-')),
    defaultSort,
    filters,
    ...(search && { search: search.description ?? '' }),
    ...(named('count') && { canCount: true }),
  };
}
