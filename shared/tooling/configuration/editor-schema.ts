import { createSchemas, type Schema } from '../../http/document/schemas.ts';
import { domainTypeNames, domainTypeOf } from '../../identity/domains/registry.ts';
import { isObject } from '../../kernel/json/json.ts';
import { secretPrefix } from './file/placeholders.ts';
import { ImageEntry } from './file-only-members.ts';
import { type Kind, kinds, type Section, sections, type Target } from './kinds.ts';
import { schemaOf, schemaOfParams } from './records/schema-members.ts';

/** The JSON Schema of configuration files, derived from the schemas of the API. */
export function editorSchema(): Schema {
  const own = sections.map((section) => [section, listOf(entrySchema(kinds[section]), section)]);
  const image = createSchemas(new Map()).input(ImageEntry);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Configuration of an aggregator portal',
    description: 'Where the API has the id of an object, the file has its name.',
    type: 'object',
    additionalProperties: false,
    properties: { ...Object.fromEntries(own), images: listOf(image, 'images') },
  };
}

const listOf = (items: Schema, section: string): Schema => ({
  type: ['array', 'null'],
  description: `Entries of the section ${section}. With --prune, records that are not in the section are deleted.`,
  items,
});

function entrySchema(kind: Kind): Schema {
  const named = kind.references.reduce(
    (schema, { path, to }) => changedAt(schema, path, () => nameSchema(to)),
    schemaOf(kind),
  );
  const schema = kind.secrets.reduce((rest, path) => changedAt(rest, path, () => secretSchema), named);
  return kind.section === 'authenticators' ? { ...schema, allOf: paramsByType() } : schema;
}

const nameSchema = (to: Target): Schema => ({
  type: 'string',
  minLength: 1,
  description: nameWords[to] ?? `Name of an entry of ${to}, or of such a record of the portal`,
});

const nameWords: Partial<Record<Target, string>> = {
  users: 'A user of the portal: <label of the domain>/<name>',
  groups: 'A group: <label of the domain>/<name>',
  images: 'Name of an entry of images',
} satisfies Partial<Record<Section | 'users' | 'images', string>>;

const secretSchema: Schema = {
  type: 'string',
  description: `A secret: \${env:${secretPrefix}NAME} or \${file:path}`,
  pattern: `^\\$\\{(env:${secretPrefix}|file:)[^}]+\\}$`,
};

/** The parameters of a domain depend on its type. */
const paramsByType = (): Schema[] =>
  domainTypeNames.map((type) => {
    const params = domainTypeOf(type).settings.secrets.reduce(
      (schema, name) => changedAt(schema, [name], () => secretSchema),
      schemaOfParams(type),
    );
    return Object.fromEntries([
      ['if', { properties: { type: { const: type } }, required: ['type'] }],
      ['then', { properties: { params } }],
    ]);
  });

/** Returns a copy of a schema with the schema of a member replaced; `null` alternatives are kept. */
function changedAt(schema: Schema, path: readonly string[], by: (schema: Schema) => Schema): Schema {
  const [step, ...rest] = path;
  for (const word of ['anyOf', 'oneOf'])
    if (Array.isArray(schema[word]))
      return {
        ...schema,
        [word]: schema[word].map((option: unknown) =>
          isObject(option) && option.type !== 'null' ? changedAt(option, path, by) : option,
        ),
      };
  if (step === undefined) return by(schema);
  const { items, properties } = schema;
  if (step === '*') return isObject(items) ? { ...schema, items: changedAt(items, rest, by) } : schema;
  if (!isObject(properties) || !isObject(properties[step])) return schema;
  return { ...schema, properties: { ...properties, [step]: changedAt(properties[step], rest, by) } };
}
