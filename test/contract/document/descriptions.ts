import type { Json } from '../../support/portal.ts';

/** A property, parameter or header of the document, with its location. */
type Described = { at: string; name: string; description: unknown; schema: Json; isMember?: boolean };

/** The faults in the descriptions of a document; empty for a valid one. */
export function descriptionFaults(document: Json): string[] {
  const found = [...propertiesOf(document), ...parametersOf(document), ...headersOf(document)];
  return found.flatMap((one) => faultsOf(one).map((fault) => `${one.at} ${fault}`));
}

const longest = 300;

/** Choices with more values than this are described elsewhere: permissions, problem codes. */
const mostValues = 12;

function faultsOf({ name, description, schema, isMember }: Described): string[] {
  if (typeof description !== 'string' || description.trim() === '') return ['has no description'];
  const faults: [boolean, string][] = [
    [wordsOf(description) === wordsOf(name), 'only repeats its name'],
    [description.length > longest, `has more than ${longest} characters`],
    [!/[.!?]$/.test(description), 'does not end as a sentence'],
    [isNumeric(schema) && !measure.test(description), 'is a number without a unit'],
    // A filter with the values of a property need not explain them again.
    [isMember === true && !namesAll(valuesOf(schema), description), 'does not name all its values'],
  ];
  return faults.flatMap(([applies, fault]) => (applies ? [fault] : []));
}

/** `farm_id`, `authUuid` and `The farm id.` are the same words. */
const wordsOf = (text: string): string =>
  text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .replace(/\b(the|a|an)\b/g, '')
    .replace(/\s+/g, ' ')
    .trim();

/** Units, and what a number counts or ranks where it has none. */
const measure = new RegExp(
  `\\b(${[
    ...['bytes', 'milliseconds', 'seconds', 'minutes', 'hours', 'days', 'percent', 'degrees', 'fraction'],
    ...['number', 'requests per minute', 'unit of', 'TCP port', 'HTTP status'],
    ...['position', 'rank', 'relative capacity'],
  ].join('|')})\\b`,
  'i',
);

/** Values that are a number or null; a property that may be a string has no single unit. */
function isNumeric(schema: Json): boolean {
  const types = formsOf(schema)
    .flatMap((form) => form?.type ?? [])
    .filter((type) => type !== 'null');
  return types.length > 0 && types.every((type) => type === 'integer' || type === 'number');
}

const formsOf = (schema: Json): Json[] => schema?.anyOf ?? schema?.oneOf ?? [schema];

/** The values of a choice, or of the elements of a list. */
const valuesOf = (schema: Json): unknown[] =>
  formsOf(schema).flatMap((form) => form?.enum ?? form?.items?.enum ?? []);

const namesAll = (all: readonly unknown[], description: string): boolean =>
  all.length > mostValues || all.every((value) => value === null || description.includes(`\`${value}\``));

const propertiesOf = (document: Json): Described[] => [
  ...walk(document, document.paths, '#/paths', []),
  ...walk(document, document.components, '#/components', []),
];

/** Every property below a node. A part of `allOf` narrows properties that another part describes. */
function walk(document: Json, node: Json, at: string, narrowed: readonly Json[]): Described[] {
  if (typeof node !== 'object' || node === null) return [];
  const own = isSchemaOfObject(node, at) ? membersOf(document, node, at, narrowed) : [];
  const inner = Object.entries<Json>(node)
    .filter(([keyword]) => !values.has(keyword) || at.endsWith('/properties'))
    .flatMap(([keyword, below]) =>
      walk(document, below, `${at}/${keyword}`, partsOf(node, at, keyword, narrowed)),
    );
  return [...own, ...inner];
}

/** Below these are values, not schemas. */
const values = new Set(['examples', 'example', 'default', 'enum', 'const', 'x-codeSamples']);

const isSchemaOfObject = (node: Json, at: string): boolean =>
  typeof node.properties === 'object' && node.properties !== null && !at.endsWith('/properties');

/** The descriptions of the members of a part besides the part itself. */
function partsOf(node: Json, at: string, keyword: string, narrowed: readonly Json[]): readonly Json[] {
  if (keyword === 'allOf' && Array.isArray(node.allOf)) return node.allOf;
  return at.endsWith('/allOf') ? narrowed : [];
}

const membersOf = (document: Json, node: Json, at: string, parts: readonly Json[]): Described[] =>
  Object.entries<Json>(node.properties).map(([name, schema]) => {
    const all = [schema, ...parts.map((part) => follow(document, part)?.properties?.[name])];
    const described = all.find((one) => one?.description !== undefined);
    return {
      at: `${at}/properties/${name}`,
      name,
      description: described?.description,
      schema,
      isMember: described === schema,
    };
  });

const operationsOf = (document: Json): [at: string, operation: Json][] =>
  Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    Object.entries<Json>(item)
      .filter(([method]) => method !== 'servers')
      .map(([method, operation]): [string, Json] => [`${method} ${path}`, operation]),
  );

const parametersOf = (document: Json): Described[] =>
  operationsOf(document).flatMap(([at, { parameters = [] }]) =>
    (parameters as Json[]).map((given) => {
      const { name, in: place, description, schema } = follow(document, given);
      return { at: `${at} ${place} ${name}`, name, description, schema };
    }),
  );

/** Headers of all responses; shared ones are named once. */
function headersOf(document: Json): Described[] {
  const found = operationsOf(document).flatMap(([at, { responses }]) =>
    Object.entries<Json>(responses).flatMap(([status, given]) =>
      Object.entries<Json>(follow(document, given)?.headers ?? {}).map(([name, header]): Described => {
        const { description, schema } = follow(document, header);
        return { at: header.$ref ?? `${at} ${status} ${name}`, name, description, schema };
      }),
    ),
  );
  return [...new Map(found.map((one) => [one.at, one])).values()];
}

function follow(document: Json, node: Json): Json {
  if (typeof node?.$ref !== 'string') return node;
  const steps: string[] = node.$ref.slice(2).split('/');
  return follow(
    document,
    steps.reduce((inner, step) => inner?.[step.replaceAll('~1', '/')], document),
  );
}
