import type { Fault } from '../../../../../shared/web/problems/problem.ts';
import type { Field, Row } from '../kinds.ts';

/** Values of the members of a form, as JSON. A member without a value is absent. */
export type Values = Readonly<Record<string, unknown>>;

/** The values of an empty form: the defaults of the members. */
export const initialValues = (fields: readonly Field[]): Values =>
  Object.fromEntries(
    fields.flatMap((field) => {
      const value = initialValue(field);
      return value === undefined ? [] : [[field.name, value]];
    }),
  );

function initialValue(field: Field): unknown {
  if (field.default !== undefined) return field.default;
  if (field.isMany) return [];
  if (field.type === 'flag') return false;
  if (field.type === 'choice' && field.isRequired) return field.choices?.[0]?.value;
  return field.type === 'object' && !field.isNullable ? initialValues(field.fields ?? []) : undefined;
}

/** The values of a record that a form can change. Secrets are never read, so their inputs are empty. */
export const recordValues = (fields: readonly Field[], row: Row): Values =>
  Object.fromEntries(
    fields.flatMap(({ name, type }) =>
      row[name] === undefined || type === 'secret' ? [] : [[name, row[name]]],
    ),
  );

const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === '';

export const isEqual = (a: unknown, b: unknown): boolean =>
  (isEmpty(a) && isEmpty(b)) || JSON.stringify(a) === JSON.stringify(b);

/** The body of a new record. Members with their default, and empty ones, are left out. */
export const bodyOfNew = (fields: readonly Field[], values: Values): Values =>
  Object.fromEntries(
    fields.flatMap((field) => {
      const { name } = field;
      const value = sent(field, values[name]);
      const isDefault = isEmpty(value) || (!field.isRequired && isEqual(value, initialValue(field)));
      return isDefault ? [] : [[name, value]];
    }),
  );

/** The members that differ from the record as it was read (JSON Merge Patch). An emptied member is null. */
export const bodyOfChange = (fields: readonly Field[], values: Values, original: Values): Values =>
  Object.fromEntries(
    fields.flatMap((field) => {
      const { name, isImmutable } = field;
      if (isImmutable || isEqual(values[name], original[name])) return [];
      const value = sent(field, values[name]);
      if (isEmpty(value)) return [[name, emptyOf(field)]];
      return [[name, value]];
    }),
  );

/** A text without characters is a value; a number, a choice or a reference without one is null. */
const emptyOf = ({ type, isNullable }: Field): unknown =>
  !isNullable && (type === 'text' || type === 'long_text' || type === 'email') ? '' : null;

/** A value as the API expects it: members of objects without a value are left out. */
function sent(field: Field, value: unknown): unknown {
  const { type, fields, isMany } = field;
  if (type !== 'object' || !fields) return value;
  if (isMany)
    return Array.isArray(value) ? value.map((one) => bodyOfNew(asRequired(fields), one as Values)) : value;
  return isEmpty(value) ? value : bodyOfNew(asRequired(fields), value as Values);
}

/** Members of an object are sent whatever their default is, so that the object is complete. */
const asRequired = (fields: readonly Field[]): Field[] =>
  fields.map((field) => ({ ...field, isRequired: true }));

/** @returns faults by the place of the member, such as `members/0/farm_id`; those of no member have the place '' */
export function faultsByPlace(fields: readonly Field[], faults: readonly Fault[] = []): Map<string, string> {
  const byPlace = new Map<string, string>();
  for (const { pointer, detail } of faults) {
    const place = pointer.replace(/^\//, '');
    const isShown = fields.some(({ name }) => name === place.split('/')[0]);
    const text = isShown ? detail : `${pointer}: ${detail}`;
    const at = isShown ? place : '';
    byPlace.set(at, [byPlace.get(at), text].filter(Boolean).join('\n'));
  }
  return byPlace;
}

/** A member that two administrators changed. */
export type Conflict = { field: Field; mine: unknown; theirs: unknown; original: unknown };

/** Compares what was typed, and what is stored now, with what was read. */
export const conflictsOf = (
  fields: readonly Field[],
  { mine, theirs, original }: { mine: Values; theirs: Values; original: Values },
): Conflict[] =>
  fields
    .filter(({ name, isImmutable }) => !isImmutable && !isEqual(theirs[name], original[name]))
    .map((field) => ({
      field,
      mine: mine[field.name],
      theirs: theirs[field.name],
      original: original[field.name],
    }));

/** What was typed, with the newer values of members that only the other administrator changed. */
export const merged = (
  fields: readonly Field[],
  { mine, theirs, original }: { mine: Values; theirs: Values; original: Values },
): Values =>
  Object.fromEntries(
    fields.flatMap(({ name }) => {
      const value = isEqual(mine[name], original[name]) ? theirs[name] : mine[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
