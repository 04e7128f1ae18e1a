import { z } from 'zod';
import type { Shape } from '../declare/operation.ts';
import { portablePattern } from './patterns.ts';

/** A JSON Schema, draft 2020-12, as used by OpenAPI 3.1. */
export type Schema = { [keyword: string]: unknown };

export type Schemas = {
  /** The schema of a request. Members with a default are optional. */
  input(shape: Shape): Schema;
  /** The schema of a response. All members are present, and later versions can add members. */
  output(shape: Shape): Schema;
  /** The schemas of the shapes that have names, by name. */
  components(): Record<string, Schema>;
};

/** Converts zod shapes to JSON Schemas. A named shape becomes a reference to a component. */
export function createSchemas(names: ReadonlyMap<Shape, string>): Schemas {
  const named = new Map<string, Schema>();
  const convert = (shape: Shape, io: 'input' | 'output'): Schema => {
    const { $schema: _, $defs, ...schema } = asComponents(toJson(shape, io, new Names(names, io)));
    for (const [name, definition] of Object.entries(($defs ?? {}) as Record<string, Schema>)) {
      const { id: __, ...schema } = definition;
      named.set(name, schema);
    }
    return schema;
  };
  return {
    input: (shape) => convert(shape, 'input'),
    output: (shape) => convert(shape, 'output'),
    components: () => Object.fromEntries([...named].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

const asComponents = (schema: Schema): Schema =>
  JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/$defs/', '"$ref":"#/components/schemas/'));

/**
 * The metadata of shapes with their names as ids. A shape that sets its own name has a separate name for requests,
 * because both directions can use it.
 */
class Names extends z.core.$ZodRegistry<z.core.GlobalMeta> {
  readonly #names: ReadonlyMap<unknown, string>;
  readonly #suffix: string;

  constructor(names: ReadonlyMap<unknown, string>, io: 'input' | 'output') {
    super();
    this.#names = names;
    this.#suffix = io === 'input' ? 'Input' : '';
  }

  override get(shape: z.core.$ZodType) {
    const own = z.globalRegistry.get(shape);
    const id = this.#names.get(shape) ?? (own?.id && `${own.id}${this.#suffix}`);
    return id ? { ...own, id } : own;
  }
}

const toJson = (shape: z.core.$ZodType, io: 'input' | 'output', metadata: Names): Schema =>
  z.toJSONSchema(shape, {
    io,
    metadata,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const { def } = zodSchema._zod;
      if (io === 'input') adjustInput(def, jsonSchema);
      else adjustOutput(def, jsonSchema, (inner) => toJson(inner, io, metadata));
      simplify(jsonSchema);
    },
  });

function adjustInput(def: z.core.$ZodTypes['_zod']['def'], schema: Schema): void {
  // The generator omits defaults before a transformation, but they still apply.
  if (def.type === 'default') schema.default = def.defaultValue;
  if (def.type !== 'pipe' || def.in._zod.def.type !== 'transform' || schema.additionalProperties !== false)
    return;
  delete schema.additionalProperties;
  schema.description = 'Read-only fields are ignored; unknown fields are rejected.';
}

function adjustOutput(
  def: z.core.$ZodTypes['_zod']['def'],
  schema: Schema,
  inner: (shape: z.core.$ZodType) => Schema,
): void {
  // Responses are not transformed, so the schema is that of the shape before the transformation.
  if (def.type === 'pipe' && def.out._zod.def.type === 'transform') {
    const { $schema: _, ...before } = inner(def.in);
    for (const [keyword, value] of Object.entries(before)) schema[keyword] ??= value;
  }
  if (def.type === 'object' && schema.additionalProperties === false) delete schema.additionalProperties;
  // The default value is a good example.
  if (schema.default !== null && schema.default !== undefined && schema.example === undefined)
    schema.example = schema.default;
  delete schema.default;
}

/**
 * Removes keywords without information: the bounds of safe integers, a pattern that repeats a format, and the fact that
 * names are strings.
 */
function simplify(schema: Schema): void {
  hoistDescription(schema);
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if ([schema.type].flat().includes('integer') && !schema.format) schema.format = sizeOf(schema);
  if (typeof schema.pattern === 'string') schema.pattern = portablePattern(schema.pattern);
  if (schema.format === 'date-time' || schema.pattern === undefined) delete schema.pattern;
  if (schema.propertyNames) {
    delete schema.propertyNames;
    if (JSON.stringify(schema.additionalProperties) === '{}') schema.additionalProperties = true;
  }
  const { example } = schema;
  delete schema.example;
  if (example !== undefined) schema.examples = [example];
}

/** Moves the description of a nullable value from the alternative to the whole schema. */
function hoistDescription(schema: Schema): void {
  const forms = schema.anyOf as Schema[] | undefined;
  const [value, other] = forms ?? [];
  if (forms?.length !== 2 || other?.type !== 'null' || typeof value?.description !== 'string') return;
  schema.description ??= value.description;
  delete value.description;
}

/** Returns the size of an integer. Integers without bounds have 53 bits in JSON. */
function sizeOf({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Schema): 'int32' | 'int64' {
  const fits = (bound: unknown): boolean => typeof bound === 'number' && Math.abs(bound) < 2 ** 31;
  return fits(minimum ?? exclusiveMinimum) && fits(maximum ?? exclusiveMaximum) ? 'int32' : 'int64';
}
