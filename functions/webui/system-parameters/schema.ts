import { z } from 'zod';
import { type ParameterName, parameterDefinitions } from '../../../shared/kernel/system-parameters.ts';
import { Address } from '../../../shared/shapes/addresses.ts';

type Fact = (typeof parameterDefinitions)[number][1];

/** The form control of the parameter. */
export const typeOf = ({ default: value, choices }: Fact): 'text' | 'numeric' | 'boolean' | 'choice' => {
  if (choices) return 'choice';
  if (typeof value === 'number') return 'numeric';
  return typeof value === 'boolean' ? 'boolean' : 'text';
};

/** Schema of a value. */
function shapeOfValue({ default: value, min, max, choices, pattern, address }: Fact): z.ZodType {
  if (choices) return z.enum([...choices]);
  if (typeof value === 'number')
    return z
      .int()
      .min(min ?? 0)
      .max(max ?? Number.MAX_SAFE_INTEGER);
  if (typeof value === 'boolean') return z.boolean();
  if (address) return Address(address, { isOptional: true, most: max }).meta({ example: value });
  return z
    .string()
    .max(max ?? 1_024)
    .regex(pattern ?? /^/, 'Must have the expected format')
    .meta({ example: value });
}

const described = (fact: Fact) =>
  z
    .strictObject({ value: shapeOfValue(fact).describe(`Current value${measureOf(fact)}.`), ...facts(fact) })
    .describe(textOf(fact));

/** Fields of a parameter other than its value. */
const facts = (fact: Fact) => ({
  default: z.union([z.string(), z.number(), z.boolean()]).describe('Default value.'),
  type: z
    .enum(['text', 'numeric', 'boolean', 'choice', 'readonly', 'secret'])
    .describe(
      'Form control for the value: `text`, `numeric`, `boolean`, `choice`, `readonly` (not writable) or `secret` (not shown).',
    ),
  ...(fact.min !== undefined && { min: z.number().describe('Minimum value, in the unit of the parameter.') }),
  ...(fact.max !== undefined && {
    max: z
      .number()
      .describe('Maximum value, in the unit of the parameter. For a text, maximum number of characters.'),
  }),
  ...(fact.choices && { choices: z.array(z.string()).describe('Possible values.') }),
  ...(fact.unit !== undefined && {
    unit: z.string().describe('Unit of the value: `ms`, `s`, `h` or `d`.'),
  }),
  help: z.string().describe('Description of the parameter.'),
});

/** Accepts the response of GET; only the value of each parameter is written. */
const written = (fact: Fact) =>
  z
    .strictObject({ value: shapeOfValue(fact).describe(`New value${measureOf(fact)}.`), ...ignored })
    .describe(textOf(fact));

const units: Record<string, string> = { ms: 'milliseconds', s: 'seconds', h: 'hours', d: 'days' };

const measureOf = ({ unit, choices, default: value }: Fact): string => {
  if (choices) return `: ${choices.map((choice) => `\`${choice}\``).join(' or ')}`;
  if (unit !== undefined) return ` in ${units[unit] ?? unit}`;
  return typeof value === 'number' ? ' (a number)' : '';
};

/** Description of the parameter in the OpenAPI document: help text, and default with unit. */
const textOf = ({ help, unit, default: value }: Fact): string =>
  `${help}. Default: ${value === '' ? 'empty' : [value, unit && units[unit]].filter((part) => part !== undefined).join(' ')}.`;

const ignored = Object.fromEntries(
  ['default', 'type', 'min', 'max', 'choices', 'unit', 'help'].map((name) => [
    name,
    z.unknown().optional().describe('Ignored: only `value` is written.'),
  ]),
);

type Section = [key: string, fact: Fact][];

const sections = new Map<string, Section>();
for (const [name, fact] of parameterDefinitions) {
  const [section = '', key = ''] = name.split('.');
  sections.set(section, [...(sections.get(section) ?? []), [key, fact]]);
}

const shapeOf = (build: (fact: Fact) => z.ZodType, wrap: (shape: z.ZodRawShape) => z.ZodType) =>
  Object.fromEntries(
    [...sections].map(([section, entries]) => [
      section,
      wrap(Object.fromEntries(entries.map(([key, fact]) => [key, build(fact)]))).describe(
        `Parameters of the section \`${section}\`.`,
      ),
    ]),
  );

/** `<section>.<key>` as two levels of fields. */
export const SystemParameters = z.strictObject(shapeOf(described, (shape) => z.strictObject(shape)));

export const SystemParametersWrite = z.strictObject(
  shapeOf(
    (fact) => written(fact).optional(),
    (shape) => z.strictObject(shape).optional(),
  ),
) as unknown as z.ZodType<Partial<Record<string, Partial<Record<string, { value: unknown }>>>>>;

/** The parameters in a body, with their new values. */
export const namedIn = (
  body: z.output<typeof SystemParametersWrite>,
): { name: ParameterName; value: unknown; fallback: unknown }[] =>
  parameterDefinitions.flatMap(([name, fact]) => {
    const [section = '', key = ''] = name.split('.');
    const member = body[section]?.[key];
    return member ? [{ name, value: member.value, fallback: fact.default }] : [];
  });
