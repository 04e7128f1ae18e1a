/** An object of an OpenAPI document. */
export type Node = { [name: string]: unknown };

/** A node of the document and its position. */
export type DocumentNode = {
  node: Node;
  at: readonly string[];
  /** The position as a JSON Pointer (RFC 6901). */
  pointer: string;
  /** Name of a parameter or body member. */
  name: string;
  /** How the value is sent: `path`, `query`, `header`, `cookie`, `body`; empty otherwise. */
  place: string;
};

export const isObject = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const within = (node: unknown, name: string): Node => {
  const inner = isObject(node) ? node[name] : undefined;
  return isObject(inner) ? inner : {};
};
const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

const factAt = (node: unknown, at: readonly string[], more: Partial<DocumentNode> = {}): DocumentNode[] =>
  isObject(node)
    ? [{ node, at, pointer: `#/${at.map(escaped).join('/')}`, name: at.at(-1) ?? '', place: '', ...more }]
    : [];

const childrenOf = (node: unknown, at: readonly string[]): DocumentNode[] =>
  isObject(node) || Array.isArray(node)
    ? Object.entries(node).flatMap(([name, inner]) => factAt(inner, [...at, name]))
    : [];

export const operationsIn = (document: Node): DocumentNode[] =>
  childrenOf(document.paths, ['paths']).flatMap(({ node, at }) => childrenOf(node, at));

export const schemesIn = ({ components }: Node): DocumentNode[] =>
  childrenOf(within(components, 'securitySchemes'), ['components', 'securitySchemes']);

export const serversIn = ({ servers }: Node): DocumentNode[] => childrenOf(servers, ['servers']);

/** True if an operation can be called without credentials. */
export const isOpen = ({ security }: Node): boolean =>
  !Array.isArray(security) ||
  security.length === 0 ||
  security.some((requirement) => Object.keys(requirement).length === 0);

/** The responses of all operations with this status. */
export const responsesIn = (document: Node, status: string): DocumentNode[] =>
  operationsIn(document).flatMap(({ node, at }) => {
    const response = within(node.responses, status);
    return Object.keys(response).length > 0
      ? factAt(followed(document, response), [...at, 'responses', status])
      : [];
  });

/** The operations without a response body for any of these statuses. */
export const lacking = (document: Node, statuses: readonly string[]): DocumentNode[] =>
  operationsIn(document).filter(({ node }) =>
    statuses.every((status) => !isObject(followed(document, within(node.responses, status)).content)),
  );

/** All schemas of request data, each component once. */
export function inputsIn(document: Node): DocumentNode[] {
  const seen = new Set<string>();
  return operationsIn(document).flatMap(({ node, at }) => [
    ...childrenOf(node.parameters, [...at, 'parameters']).flatMap((fact) => {
      const [parameter] = leadTo(document, fact);
      if (!parameter) return [];
      const more = { name: String(parameter.node.name), place: String(parameter.node.in) };
      return factAt(parameter.node.schema, [...parameter.at, 'schema'], more).flatMap((schema) =>
        nested(document, schema, seen),
      );
    }),
    ...childrenOf(within(node.requestBody, 'content'), [...at, 'requestBody', 'content']).flatMap((media) =>
      factAt(media.node.schema, [...media.at, 'schema'], { place: 'body' }).flatMap((schema) =>
        nested(document, schema, seen),
      ),
    ),
  ]);
}

/** All schemas of the document. */
export const schemasIn = (document: Node): DocumentNode[] =>
  ['paths', 'components'].flatMap((part) => factAt(document[part], [part]).flatMap(deep));

/** Keywords that contain values or names instead of schemas. */
const noSchemas = ['example', 'examples', 'default', 'enum', 'const'];

const deep = (fact: DocumentNode): DocumentNode[] => [
  fact,
  ...Object.entries(fact.node).flatMap(([name, inner]) =>
    noSchemas.includes(name) && fact.at.at(-1) !== 'properties'
      ? []
      : [
          ...factAt(inner, [...fact.at, name]),
          ...(Array.isArray(inner) ? childrenOf(inner, [...fact.at, name]) : []),
        ].flatMap(deep),
  ),
];

/** A schema and its nested schemas, each component once. */
function nested(document: Node, fact: DocumentNode, seen: Set<string>): DocumentNode[] {
  const { $ref } = fact.node;
  if (typeof $ref === 'string' && seen.has($ref)) return [];
  if (typeof $ref === 'string') seen.add($ref);
  return leadTo(document, fact).flatMap((found) => [
    found,
    ...partsOf(found).flatMap((part) => nested(document, part, seen)),
  ]);
}

function partsOf({ node, at, place, name }: DocumentNode): DocumentNode[] {
  const more = { place, name };
  return [
    ...['anyOf', 'oneOf', 'allOf'].flatMap((keyword) => childrenOf(node[keyword], [...at, keyword])),
    ...['items', 'additionalProperties'].flatMap((keyword) => factAt(node[keyword], [...at, keyword])),
  ]
    .map((part) => ({ ...part, ...more }))
    .concat(childrenOf(node.properties, [...at, 'properties']).map((part) => ({ ...part, place })));
}

/** Resolves a reference; other nodes are returned unchanged. */
function leadTo(document: Node, { node, at, place, name }: DocumentNode): DocumentNode[] {
  const steps = typeof node.$ref === 'string' ? stepsOf(node.$ref) : at;
  return factAt(followed(document, node), steps, { place, name });
}

const stepsOf = ($ref: string): string[] =>
  $ref
    .slice(2)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));

const followed = (document: Node, node: Node): Node =>
  typeof node.$ref === 'string' ? stepsOf(node.$ref).reduce<Node>(within, document) : node;
