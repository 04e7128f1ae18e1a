import type { Field, FieldType } from './record-kinds.ts';

/** A JSON Schema as in an OpenAPI document. */
export type Schema = { [keyword: string]: unknown };

/** Replaces a reference by what it refers to. */
export type Resolve = (schema: Schema) => Schema;

const maxDepth = 4;

/** The members of an object as fields, in the order of the document. */
export function fieldsOf(schema: Schema, resolve: Resolve, depth = 0): Field[] {
  const { properties = {}, required = [] } = resolve(schema) as {
    properties?: Record<string, Schema>;
    required?: string[];
  };
  if (depth > maxDepth) return [];
  return Object.entries(properties).map(([name, member]) =>
    fieldOf(name, member, { resolve, depth, isRequired: required.includes(name) }),
  );
}

type Place = { resolve: Resolve; depth?: number; isRequired?: boolean };

/** A member, or a parameter of a query, as a field. */
export function fieldOf(name: string, schema: Schema, place: Place): Field {
  const { resolve, depth = 0, isRequired = false } = place;
  const whole = resolve(schema);
  const { value, isNullable, all } = mainForm(whole, resolve);
  const items = value.type === 'array' ? resolve((value.items ?? {}) as Schema) : undefined;
  const one = items ? mainForm(items, resolve).value : value;
  const type = typeOf(one, isNullable);
  const field: Field = { name, type, description: String(whole.description ?? '') };
  if (items) field.isMany = true;
  if (isRequired && whole.default === undefined) field.isRequired = true;
  if (isNullable) field.isNullable = true;
  if (whole['x-immutable'] === true || value['x-immutable'] === true) field.isImmutable = true;
  if (whole.default !== undefined) field.default = whole.default;
  if (all !== undefined) field.all = all;
  if (typeof whole['x-stored-as'] === 'string') field.storedAs = whole['x-stored-as'];
  if (typeof value.maxItems === 'number') field.maxItems = value.maxItems;
  return { ...field, ...limitsOf(one), ...(type === 'object' && partsOf(one, resolve, depth)) };
}

const partsOf = (schema: Schema, resolve: Resolve, depth: number): Pick<Field, 'fields'> => ({
  fields: fieldsOf(schema, resolve, depth + 1),
});

const isNull = ({ type }: Schema): boolean => type === 'null';

/**
 * The schema of a value other than null. Of several alternatives it is the most general one: a list rather than the text
 * that stands for all of its values, and a text with a format rather than the empty text.
 */
function mainForm(
  schema: Schema,
  resolve: Resolve,
): { value: Schema; isNullable: boolean; all: string | undefined } {
  const forms = ((schema.anyOf ?? schema.oneOf ?? [schema]) as Schema[]).map(resolve);
  const values = forms.filter((form) => !isNull(form));
  const isNullable =
    values.length < forms.length || (Array.isArray(schema.type) && schema.type.includes('null'));
  const constants = values.filter((form) => typeof form.const === 'string');
  const value = values.find((form) => form.const === undefined) ?? values[0] ?? schema;
  const all = values.length > 1 && value.type === 'array' ? constants[0]?.const : undefined;
  return { value, isNullable, all: typeof all === 'string' ? all : undefined };
}

function typeOf(schema: Schema, isNullable: boolean): FieldType {
  if (isNull(schema)) return 'secret';
  if (schema['x-reference'] !== undefined) return 'reference';
  if (schema.enum !== undefined || schema.const !== undefined) return isFlag(schema) ? 'flag' : 'choice';
  const [type] = [schema.type].flat().filter((name) => name !== 'null');
  if (type === 'string') return typeOfText(schema);
  if (type === 'integer' || type === 'number') return type;
  if (type === 'boolean') return 'flag';
  if (type === 'object' && schema.properties !== undefined) return 'object';
  return type === undefined && isNullable ? 'secret' : 'json';
}

const isFlag = ({ enum: values }: Schema): boolean =>
  Array.isArray(values) && values.every((value) => ['true', 'false', true, false].includes(value));

function typeOfText({ format, 'x-multiline': isMultiline, 'x-picture': isPicture }: Schema): FieldType {
  if (isPicture === true) return 'picture';
  if (format === 'date-time') return 'time';
  if (format === 'email') return 'email';
  return isMultiline === true ? 'long_text' : 'text';
}

function limitsOf(schema: Schema): Partial<Field> {
  const { minimum, maximum, maxLength, pattern, const: constant } = schema;
  const choices = constant === undefined ? schema.enum : [constant];
  const reference = schema['x-reference'];
  return {
    ...(typeof minimum === 'number' && { minimum }),
    ...(typeof maximum === 'number' && { maximum }),
    ...(typeof maxLength === 'number' && { maxLength }),
    ...(typeof pattern === 'string' && { pattern }),
    ...(Array.isArray(choices) && !isFlag(schema) && { choices: choices.map(String) }),
    ...(typeof reference === 'string' && { reference }),
  };
}
