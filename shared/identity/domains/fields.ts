import { z } from 'zod';
import type { Language } from '../../messages/languages.ts';

const kinds = [
  ...['text', 'numeric', 'password', 'choice', 'multichoice'],
  ...['editlist', 'checkbox', 'textarea', 'taglist'],
] as const;

/** A text of a form in every language. */
export type Words = Readonly<Record<Language, string>>;

/** One member of a domain. `shape` validates the value, and the other members describe its form field. */
export type Field<S extends z.ZodType = z.ZodType, W = Words> = {
  shape: S;
  type: (typeof kinds)[number];
  label: W;
  tooltip: W;
  tab?: W;
  /** Display texts of the values of a choice. */
  choices?: Readonly<Record<string, W>>;
  readonly?: boolean;
};
/** A member that is an object of further members, or null if none of them is set. */
type Group<S extends z.ZodType = z.ZodType> = { shape: S; members: Fields };
export type Fields = { readonly [name: string]: Field | Group };

/**
 * Creates the text lookup and the field factory of a form from a dictionary of Russian texts, keyed by the English
 * text. Each domain type has its own dictionary.
 */
export function dictionary<English extends string>(russian: Readonly<Record<English, string>>) {
  const texts = (english: English): Words => ({ en: english, ru: russian[english] });
  const field = <S extends z.ZodType>(
    shape: S,
    { type, label, tooltip, tab, choices, readonly }: Omit<Field<S, English>, 'shape'>,
  ): Field<S> => ({
    shape,
    type,
    label: texts(label),
    tooltip: texts(tooltip),
    ...(tab !== undefined && { tab: texts(tab) }),
    ...(choices && { choices: mapped(choices, texts) }),
    ...(readonly !== undefined && { readonly }),
  });
  return { texts, field, russian };
}

const mapped = <A, B>(values: Readonly<Record<string, A>>, change: (value: A) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));

type Shapes<F extends Fields> = { [Name in keyof F]: F[Name]['shape'] };

export const shapesOf = <F extends Fields>(fields: F): Shapes<F> =>
  Object.fromEntries(Object.entries(fields).map(([name, { shape }]) => [name, shape])) as Shapes<F>;

const Value = z.union([z.string(), z.number(), z.boolean(), z.array(z.string()), z.null()]);

export const GuiField = z.strictObject({
  name: z
    .string()
    .meta({ example: 'name' })
    .describe('Path of the field in the body, such as `params.hosts`.'),
  value: Value.describe('Initial value of the field in the form.'),
  gui: z
    .strictObject({
      label: z.string().describe('Label of the field.'),
      tooltip: z.string().describe('Help text of the field.'),
      type: z
        .enum(kinds)
        .describe(
          'Form control: `text`, `numeric`, `password`, `choice` (one), `multichoice` (several), `editlist` (list of texts), `checkbox`, `textarea` (several lines) or `taglist` (tags).',
        ),
      order: z.int().describe('Position of the field in the form, counted from 1.'),
      required: z.boolean().describe('True if the field is required.'),
      readonly: z.boolean().describe('True if the field can be set at creation only.'),
      length: z
        .int()
        .optional()
        .describe(
          'Maximum number of characters, or of characters in each entry of a list. Absent if there is no limit.',
        ),
      min_value: z
        .int()
        .optional()
        .describe('Minimum number, or minimum number of entries of a list. Absent if there is no limit.'),
      max_value: z
        .int()
        .optional()
        .describe('Maximum number, or maximum number of entries of a list. Absent if there is no limit.'),
      pattern: z
        .string()
        .optional()
        .describe(
          'Regular expression for the text, or for each entry of a list. Absent if any text is valid.',
        ),
      choices: z
        .array(
          z.strictObject({
            id: z.string().describe('Value of the choice.'),
            text: z.string().describe('Display text of the choice.'),
          }),
        )
        .optional()
        .describe('Values of a choice. Absent for other controls.'),
      default: Value.optional().describe('Value of an empty field. Absent if the field is required.'),
      tab: z.string().optional().describe('Tab of the form. Absent for the first tab.'),
    })
    .describe('Presentation of the field in a form.'),
});
type Described = z.input<typeof GuiField>;

/**
 * Describes the fields for a form, in their order. A required field has no default.
 * @param sets fields by the path prefix of their object: `''`, `params.`
 */
export function describeFields(sets: Readonly<Record<string, Fields>>, language: Language): Described[] {
  const entries = Object.entries(sets).flatMap(([prefix, fields]) =>
    describeMembers(prefix, fields, language),
  );
  return entries.map(({ gui, ...rest }, at) => ({ ...rest, gui: { ...gui, order: at + 1 } }));
}

const describeMembers = (prefix: string, fields: Fields, language: Language): Described[] =>
  Object.entries(fields).flatMap(([name, entry]) =>
    'members' in entry
      ? describeMembers(`${prefix}${name}.`, entry.members, language).map(asOptional)
      : [describeField(`${prefix}${name}`, entry, language)],
  );

/** The fields of a group are optional and initially empty, because the whole group is optional. */
const asOptional = ({ name, gui }: Described): Described => ({
  name,
  value: gui.type === 'editlist' ? [] : null,
  gui: { ...gui, required: false },
});

function describeField(name: string, { shape, ...shown }: Field, language: Language): Described {
  const say = (words: Words): string => words[language];
  const { type, label, tooltip, tab, choices, readonly = false } = shown;
  const absent = shape.safeParse(undefined);
  const initial = absent.success ? Value.parse(absent.data) : undefined;
  return {
    name,
    value: initial ?? (type === 'editlist' ? [] : absent.success ? null : ''),
    gui: {
      label: say(label),
      tooltip: say(tooltip),
      type,
      order: 0,
      required: !absent.success,
      readonly,
      ...constraintsOf(shape),
      ...(choices && { choices: Object.entries(choices).map(([id, word]) => ({ id, text: say(word) })) }),
      ...(initial !== undefined && { default: initial }),
      ...(tab && { tab: say(tab) }),
    },
  };
}

type Schema = { [keyword: string]: unknown };

/** Constraints derived from the shape, so that form and validation cannot differ. */
function constraintsOf(shape: z.ZodType): Partial<Described['gui']> {
  const schema = notNull(z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' }));
  const one = notNull((schema.items as Schema | undefined) ?? schema);
  const numbers = {
    length: one.maxLength,
    min_value: schema.minItems ?? schema.minimum,
    max_value: schema.maxItems ?? schema.maximum,
  };
  return {
    ...Object.fromEntries(Object.entries(numbers).filter(([, value]) => typeof value === 'number')),
    ...(typeof one.pattern === 'string' && { pattern: one.pattern }),
  };
}

const notNull = (schema: Schema): Schema =>
  (schema.anyOf as Schema[] | undefined)?.find(({ type }) => type !== 'null') ?? schema;
