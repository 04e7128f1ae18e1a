import { z } from 'zod';
import { type ParameterName, parameterFacts } from '../../../shared/kernel/system-parameters.ts';

type Fact = (typeof parameterFacts)[number][1];

/** How a page edits the parameter. */
export const typeOf = ({ default: value, choices }: Fact): 'text' | 'numeric' | 'boolean' | 'choice' => {
  if (choices) return 'choice';
  if (typeof value === 'number') return 'numeric';
  return typeof value === 'boolean' ? 'boolean' : 'text';
};

/** What a value must be. */
function shapeOfValue({ default: value, min, max, choices, pattern }: Fact): z.ZodType {
  if (choices) return z.enum([...choices]);
  if (typeof value === 'number')
    return z
      .int()
      .min(min ?? 0)
      .max(max ?? Number.MAX_SAFE_INTEGER);
  if (typeof value === 'boolean') return z.boolean();
  return z
    .string()
    .max(max ?? 1_024)
    .regex(pattern ?? /^/, 'Not in the form that is expected')
    .meta({ example: value });
}

const described = (fact: Fact) =>
  z.strictObject({
    value: shapeOfValue(fact),
    default: z.union([z.string(), z.number(), z.boolean()]),
    type: z.enum(['text', 'numeric', 'boolean', 'choice', 'readonly', 'secret']),
    ...(fact.min !== undefined && { min: z.number() }),
    ...(fact.max !== undefined && { max: z.number() }),
    ...(fact.choices && { choices: z.array(z.string()) }),
    ...(fact.unit !== undefined && { unit: z.string() }),
    help: z.string(),
  });

/** What `GET` gave may be sent back; of each parameter only the value counts. */
const written = (fact: Fact) => z.strictObject({ value: shapeOfValue(fact), ...ignored });

const ignored = Object.fromEntries(
  ['default', 'type', 'min', 'max', 'choices', 'unit', 'help'].map((name) => [name, z.unknown().optional()]),
);

type Section = [key: string, fact: Fact][];

const sections = new Map<string, Section>();
for (const [name, fact] of parameterFacts) {
  const [section = '', key = ''] = name.split('.');
  sections.set(section, [...(sections.get(section) ?? []), [key, fact]]);
}

const shapeOf = (build: (fact: Fact) => z.ZodType, wrap: (shape: z.ZodRawShape) => z.ZodType) =>
  Object.fromEntries(
    [...sections].map(([section, entries]) => [
      section,
      wrap(Object.fromEntries(entries.map(([key, fact]) => [key, build(fact)]))),
    ]),
  );

/** `<section>.<key>` as two levels of members. */
export const SystemParameters = z.strictObject(shapeOf(described, (shape) => z.strictObject(shape)));

export const SystemParametersWrite = z.strictObject(
  shapeOf(
    (fact) => written(fact).optional(),
    (shape) => z.strictObject(shape).optional(),
  ),
) as unknown as z.ZodType<Partial<Record<string, Partial<Record<string, { value: unknown }>>>>>;

/** The parameters that a body names, with their new values. */
export const namedIn = (
  body: z.output<typeof SystemParametersWrite>,
): { name: ParameterName; value: unknown; fallback: unknown }[] =>
  parameterFacts.flatMap(([name, fact]) => {
    const [section = '', key = ''] = name.split('.');
    const given = body[section]?.[key];
    return given ? [{ name, value: given.value, fallback: fact.default }] : [];
  });
