import { isForPrograms } from '../audience.ts';
import { componentOf, exampleOf } from '../examples.ts';
import type { Schema } from '../schemas.ts';

/** The content of a code sample. Names in capitals and all parameters are environment variables. */
export type SampleCall = {
  id: string;
  /** HTTP method in upper case. */
  method: string;
  /** Path with `{name}` for each parameter that is a variable. */
  path: string;
  /** The variable with the base URL. */
  server: 'URL' | 'HEALTH_URL';
  /** The header of the credential, the text before the value, and the variable with the value. */
  credential: { header: string; prefix: string; variable: string } | undefined;
  /** The path parameters. */
  inPath: readonly SampleParameter[];
  /** The required query parameters. */
  inQuery: readonly SampleParameter[];
  /** The JSON body. Identifiers of other objects are `Reference` values. */
  body: SampleValue | undefined;
  answer: 'json' | 'text' | 'bytes' | 'none';
  /**
   * How the typed client calls the operation: `items` follows the pages of a list. Undefined if the client does not
   * have it.
   */
  client: 'call' | 'items' | undefined;
};

/** A parameter. It is a variable, unless it has an enumeration; the sample then shows one of the values. */
export type SampleParameter = { name: string; value: string | undefined };

/** A JSON value. A `Reference` in it stands for an environment variable. */
export type SampleValue =
  | null
  | boolean
  | number
  | string
  | Reference
  | readonly SampleValue[]
  | SampleObject;
type SampleObject = { readonly [member: string]: SampleValue };

export class Reference {
  readonly variable: string;

  constructor(variable: string) {
    this.variable = variable;
  }
}

export type Document = {
  /** Path items. */
  paths: Record<string, object>;
  components: Record<string, object>;
};

/** Extracts the content of the samples of an operation from the document. */
export function callOf(document: Document, path: string, method: string): SampleCall {
  const item = asSchema(document.paths[path]);
  const operation = asSchema(item[method]);
  const parameters = listOf(operation.parameters).map((one) => resolve(document, one));
  const named = (place: string) =>
    parameters.filter((one) => one.in === place && one.required === true).map(parameterOf);
  const isElsewhere = item.servers !== undefined;
  return {
    id: String(operation.operationId),
    method: method.toUpperCase(),
    path,
    server: isElsewhere ? 'HEALTH_URL' : 'URL',
    credential: credentialOf(operation),
    inPath: named('path'),
    inQuery: named('query'),
    body: bodyOf(document, operation),
    answer: answerOf(operation),
    client:
      isForPrograms(operation) && !isElsewhere
        ? isPaged(document, operation)
          ? 'items'
          : 'call'
        : undefined,
  };
}

function parameterOf({ name, schema }: Schema): SampleParameter {
  const described = asSchema(schema);
  return {
    name: String(name),
    value: Array.isArray(described.enum) ? String(exampleOf(described, {})) : undefined,
  };
}

const credentials: Readonly<Record<string, SampleCall['credential']>> = {
  SessionToken: { header: 'X-Auth-Token', prefix: '', variable: 'TOKEN' },
  BrowserSession: { header: 'Cookie', prefix: '__Host-session=', variable: 'SESSION' },
  MachineToken: { header: 'Authorization', prefix: 'Bearer ', variable: 'MACHINE_TOKEN' },
  ScimToken: { header: 'Authorization', prefix: 'Bearer ', variable: 'SCIM_TOKEN' },
  HealthCheckKey: { header: 'Authorization', prefix: 'Token ', variable: 'HEALTH_CHECK_ACCESS_KEY' },
  MetricsKey: { header: 'Authorization', prefix: 'Token ', variable: 'METRICS_ACCESS_KEY' },
};

/** Uses the first security requirement, which is the usual one. */
const credentialOf = ({ security }: Schema): SampleCall['credential'] =>
  credentials[Object.keys(asSchema(listOf(security)[0]))[0] ?? ''];

/** The value that the document shows for an identifier that the server generates. */
const placeholder = '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11';

function bodyOf(document: Document, { requestBody }: Schema): SampleValue | undefined {
  const media = asSchema(asSchema(asSchema(requestBody).content)['application/json']);
  const [shown] = Object.values(asSchema(media.examples));
  const example = shown === undefined ? media.example : resolve(document, shown).value;
  return example === undefined ? undefined : withReferences(example);
}

/** Replaces identifiers of other objects with variables. */
function withReferences(value: unknown, name = ''): SampleValue {
  if (value === placeholder) return new Reference(name);
  if (Array.isArray(value)) return value.map((item) => withReferences(item, name));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([member, inner]) => [member, withReferences(inner, member)]),
    );
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

function answerOf({ responses }: Schema): SampleCall['answer'] {
  const success = Object.entries(asSchema(responses))
    .filter(([status]) => status < '300')
    .map(([, response]) => asSchema(response))
    .find((response) => response['x-dry-run'] !== true);
  const [type] = Object.keys(asSchema(success?.content));
  if (type === undefined) return 'none';
  if (type.includes('json')) return 'json';
  return type.startsWith('text/') || type.endsWith('yaml') ? 'text' : 'bytes';
}

/** Pages of changes have the same members as those of a list, but no parameter `cursor`, and do not end. */
function isPaged(document: Document, { responses, parameters }: Schema): boolean {
  if (!listOf(parameters).some((one) => resolve(document, one).name === 'cursor')) return false;
  const media = asSchema(asSchema(asSchema(asSchema(responses)['200']).content)['application/json']);
  const properties = asSchema(resolve(document, media.schema).properties);
  return properties.items !== undefined && properties.next !== undefined;
}

const asSchema = (value: unknown): Schema =>
  typeof value === 'object' && value !== null ? { ...value } : {};
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Follows one reference into the components. */
function resolve({ components }: Document, node: unknown): Schema {
  const schema = asSchema(node);
  const [kind = ''] = typeof schema.$ref === 'string' ? schema.$ref.split('/').slice(2) : [];
  return typeof schema.$ref === 'string'
    ? asSchema(asSchema(components[kind])[componentOf(schema) ?? ''])
    : schema;
}
