import type { Schema } from './fields.ts';
import type { Field, Range } from './record-kinds.ts';

type Parameter = { field: Field; schema: Schema };

/** The filters of a list. Parameters that are bounds of the values of one member are one filter with its name. */
export function withRanges(parameters: readonly Parameter[]): Field[] {
  const filters = new Map<string, Field>();
  for (const { field, schema } of parameters) {
    const bound = boundOf(field, schema);
    if (!bound) filters.set(field.name, field);
    else filters.set(bound.member, rangeField(field, bound, filters.get(bound.member)));
  }
  return [...filters.values()];
}

type Bound = { member: string; range: Range };

function boundOf({ name }: Field, schema: Schema): Bound | undefined {
  const [lower, upper] = [schema['x-lower-bound-of'], schema['x-upper-bound-of']];
  if (typeof lower === 'string') return { member: lower, range: { from: name } };
  return typeof upper === 'string' ? { member: upper, range: { to: name } } : undefined;
}

/** Both bounds accept the same values. What each of them does is clear from the labels of its inputs. */
const rangeField = (field: Field, { member, range }: Bound, other: Field | undefined): Field => ({
  ...field,
  name: member,
  description: '',
  range: { ...other?.range, ...range },
});
