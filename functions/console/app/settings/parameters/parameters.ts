import type { Operations } from '../../../../../shared/client/operations.ts';
import type { Fault } from '../../../../../shared/web/problems/problem.ts';
import { durationText } from '../../../../../shared/web/text/moments.ts';
import { countText } from '../../../../../shared/web/text/numbers.ts';
import { hasText, sayText } from '../../../../../shared/web/text/texts.ts';
import type { Field } from '../../records/kinds.ts';
import { type ConsoleText, say } from '../../texts.ts';

export type ParametersAnswer = Operations['systemParameters.get']['answer'];

type ParameterValue = string | number | boolean;

/** A parameter as the API describes it. */
type Described = {
  value: ParameterValue;
  default: ParameterValue;
  type: string;
  min?: number;
  max?: number;
  choices?: readonly string[];
  unit?: string;
  help: string;
};

export type Parameter = Described & {
  /** `<section>.<key>` */
  name: string;
  section: string;
  label: string;
};

/** All parameters in the order of the API. */
export const parametersOf = (answer: ParametersAnswer): Parameter[] =>
  Object.entries(answer as Record<string, Record<string, Described>>).flatMap(([section, members]) =>
    Object.entries(members).map(([key, described]) => {
      const name = `${section}.${key}`;
      return { ...described, name, section, label: labelOf(name) };
    }),
  );

const keyOf = (name: string): string => name.replaceAll('.', '_');

/** A parameter of a later version has no label in this page. */
export const labelOf = (name: string): string => textOf(`parameter_${keyOf(name)}`) ?? name;

export const sectionTitle = (section: string): string => textOf(`parameters_${section}`) ?? section;

/** What a change of the parameter does that its help does not say. */
export const effectOf = (name: string): string | undefined => textOf(`parameter_effect_${keyOf(name)}`);

const textOf = (key: string): string | undefined => (hasText(key) ? sayText(key) : undefined);

export const isChanged = ({ value, default: standard }: Parameter): boolean => value !== standard;

/** True if a text is in anything that is shown of the parameter. */
export function matches({ name, label, help, value, section }: Parameter, text: string): boolean {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const all = [name, label, help, String(value), sectionTitle(section)].join('\n').toLowerCase();
  return words.every((word) => all.includes(word));
}

const units: Readonly<Record<string, ConsoleText>> = {
  ms: 'unit_ms',
  s: 'unit_s',
  h: 'unit_h',
  d: 'unit_d',
};

const msOf: Readonly<Record<string, number>> = { ms: 1, s: 1_000, h: 3_600_000, d: 86_400_000 };

/** Quantities from which a greater unit is easier to read. */
const hardToReadFromMs: Readonly<Record<string, number>> = {
  ms: 120_000,
  s: 120_000,
  h: 172_800_000,
};

/** The input of the parameter. @param isReadOnly the user may not change parameters */
export function fieldOf(parameter: Parameter, isReadOnly: boolean): Field {
  const { name, label, help, type, min, max, unit = '', choices } = parameter;
  const unitText = units[unit];
  return {
    name,
    label: unitText ? say('parameter_with_unit', { name: label, unit: say(unitText) }) : label,
    help,
    type: inputs[type] ?? 'text',
    ...(type === 'text' ? { ...(max !== undefined && { maxLength: max }) } : limits(min, max)),
    ...(choices && { choices: choices.map((value) => ({ value, label: choiceText(value) })) }),
    isRequired: true,
    ...((isReadOnly || type === 'readonly') && { isImmutable: true as const }),
  };
}

const inputs: Readonly<Record<string, Field['type']>> = {
  numeric: 'integer',
  boolean: 'flag',
  choice: 'choice',
  secret: 'secret',
};

const limits = (minimum: number | undefined, maximum: number | undefined) => ({
  ...(minimum !== undefined && { minimum }),
  ...(maximum !== undefined && { maximum }),
});

const choiceText = (value: string): string => textOf(`parameter_choice_${value}`) ?? value;

/** A value for reading, with its unit. */
export function valueText({ unit = '', type }: Parameter, value: unknown): string {
  if (typeof value === 'boolean') return value ? say('yes') : say('no');
  if (value === '' || value === undefined || value === null) return say('parameter_empty');
  if (typeof value !== 'number') return type === 'choice' ? choiceText(String(value)) : String(value);
  const unitText = units[unit];
  if (!unitText) return countText(value);
  const exact = say('parameter_quantity', { value: countText(value), unit: say(unitText) });
  const ms = value * (msOf[unit] ?? 1);
  return ms >= (hardToReadFromMs[unit] ?? Number.POSITIVE_INFINITY)
    ? say('parameter_duration', { exact, duration: durationText(ms) })
    : exact;
}

/** The limits of a number or the length of a text. */
export function limitsText({ type, min, max }: Parameter): string | undefined {
  if (type === 'text' && max !== undefined) return say('parameter_length', { max });
  if (min === undefined || max === undefined) return undefined;
  return say('parameter_limits', { min: countText(min), max: countText(max) });
}

/** Changed parameters as the API accepts them. */
export function bodyOf(changed: ReadonlyMap<string, unknown>): Record<string, Record<string, unknown>> {
  const body: Record<string, Record<string, unknown>> = {};
  for (const [name, value] of changed) {
    const [section = '', key = ''] = name.split('.');
    body[section] = { ...body[section], [key]: { value } };
  }
  return body;
}

/** Faults by the name of the parameter: `/session/idle_s/value` is at `session.idle_s`. */
export const faultsByName = (faults: readonly Fault[] = []): Map<string, string> =>
  new Map(faults.map(({ pointer, detail }) => [pointer.split('/').slice(1, 3).join('.'), detail]));
