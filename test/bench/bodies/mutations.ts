import { componentOf, exampleOf } from '../../../shared/http/document/examples.ts';
import type { Schema } from '../../../shared/http/document/schemas.ts';
import { document } from '../../contract/generated/described.ts';

const components: Record<string, Schema> = document.components.schemas;
const asSchema = (value: unknown): Schema =>
  typeof value === 'object' && value !== null ? { ...value } : {};
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Characters that cost most to fold, to match or to encode. */
const units = ['x', ' ', '.', '%', '\\', '\u0130', '\u0345\u0301', '\u4e00', '\u{1f600}', '(', '"'];
/** Conditions and paths of provisioning. */
const conditions = ['userName co "x"', 'emails[value co "x" or type eq "work"]', 'not (externalId pr)'];
const longestText = 262_144;
const mostEntries = 20_000;

const any = <T>(all: readonly T[]): T => all[Math.floor(Math.random() * all.length)] as T;

/**
 * The value with one random change within its schema: a longer text, more entries or another choice in a list, one more member, another
 * option. The change may be refused for a rule that the schema does not have.
 */
export function mutated(value: unknown, schema: Schema): unknown {
  const own = optionFor(value, resolved(schema));
  if (Array.isArray(value)) return mutatedList(value, own);
  if (isObject(value)) return mutatedObject(value, own);
  if (typeof value === 'string' && own.enum === undefined && own.const === undefined)
    return longer(value, own);
  if (typeof value === 'number') return any([Number(own.maximum ?? value * 2), Number(own.minimum ?? 0)]);
  return exampleOf(any(optionsOf(schema)), components);
}

const resolved = (schema: Schema): Schema => components[componentOf(schema) ?? ''] ?? schema;

const optionsOf = (schema: Schema): Schema[] => {
  const { anyOf, oneOf } = resolved(schema);
  const options = [anyOf, oneOf].flatMap((all) => (Array.isArray(all) ? all.map(asSchema) : []));
  return options.length > 0 ? options.map(resolved) : [resolved(schema)];
};

/** The option of a schema that has the type of the value. */
function optionFor(value: unknown, schema: Schema): Schema {
  const type = Array.isArray(value) ? 'array' : typeof value;
  const options = optionsOf(schema);
  return options.find((option) => [option.type].flat().includes(type)) ?? options[0] ?? {};
}

function mutatedList(list: readonly unknown[], { items, maxItems }: Schema): unknown[] {
  const schema = asSchema(items);
  const most = Math.min(Number(maxItems ?? mostEntries), mostEntries);
  const first = list.length > 0 ? list : [exampleOf(schema, components)];
  if (Math.random() < 0.4) return list.length > 0 ? first.map((one) => mutated(one, schema)) : [...first];
  const isDistinct = Math.random() < 0.5;
  const count = Math.min(most, Math.ceil(first.length * 2 ** (Math.random() * 5)));
  return Array.from({ length: count }, (_, at) => {
    const one = first[at % first.length];
    return isDistinct && at >= first.length ? numbered(one, at) : one;
  });
}

/** Another value of the same form, so that comparisons find no equal ones. */
function numbered(value: unknown, at: number): unknown {
  if (typeof value === 'string' && /^[0-9a-f-]{36}$/.test(value))
    return value.slice(0, -12) + at.toString(16).padStart(12, '0');
  if (typeof value === 'string') return `${at}${value}`;
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, numbered(member, at)]));
}

function mutatedObject(value: Record<string, unknown>, { properties }: Schema): Record<string, unknown> {
  const members = Object.entries(asSchema(properties));
  const absent = members.filter(([name]) => !Object.hasOwn(value, name));
  const present = members.filter(([name]) => Object.hasOwn(value, name));
  const isAdded = absent.length > 0 && (present.length === 0 || Math.random() < 0.3);
  const chosen = any(isAdded ? absent : present);
  if (!chosen) return { ...value, [`m${Object.keys(value).length}`]: 'x' };
  const [name, schema] = chosen;
  const member = isAdded ? exampleOf(asSchema(schema), components) : mutated(value[name], asSchema(schema));
  return { ...value, [name]: /filter|path$/.test(name) ? condition(member) : member };
}

function longer(text: string, { maxLength }: Schema): string {
  const most = Math.min(Number(maxLength ?? longestText), longestText);
  const unit = any([...units, text === '' ? 'x' : text]);
  return (text + unit.repeat(Math.ceil((text.length * any([1, 3, 15]) + 1) / unit.length))).slice(0, most);
}

/** A filter that grows by further conditions. */
const condition = (value: unknown): string =>
  typeof value === 'string' && value.includes(' ')
    ? `${value} ${any(['or', 'and'])} ${any([value, ...conditions])}`
    : any(conditions);

/** A parameter of a query with one random change. */
export function mutatedQuery(
  query: Readonly<Record<string, string>>,
  parameters: readonly { name: string; schema: Schema }[],
): Record<string, string> {
  const chosen = any(parameters);
  if (!chosen) return { ...query };
  const { name } = chosen;
  const schema = optionFor('', resolved(chosen.schema));
  const present = query[name] ?? String(exampleOf(chosen.schema, components) ?? 'x');
  if (/filter/.test(name)) return { ...query, [name]: condition(query[name]) };
  if (Array.isArray(schema.enum)) return { ...query, [name]: String(any(schema.enum)) };
  const most = Number(schema.maximum ?? Number.NaN);
  if (Number.isFinite(most)) return { ...query, [name]: String(most) };
  return { ...query, [name]: any([longer(present, schema), `${present},${present}`]) };
}
