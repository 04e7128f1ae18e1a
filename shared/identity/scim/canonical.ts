import { isObject } from '../../kernel/json/json.ts';
import { message } from '../../messages/message.ts';
import { type AttributeFacts, findFacts } from './attributes.ts';
import { scimError } from './errors.ts';
import { memberOf } from './evaluate.ts';

export type Json = Record<string, unknown>;

/**
 * Returns the known attributes of a resource by their names in the schema: clients write names in any case, and booleans as
 * texts. Unknown attributes and unassigned values are left out (RFC 7643, 2.5).
 * @throws AppError `invalid_request` with the keyword `invalidValue`
 */
export function canonical(source: Json, facts: readonly AttributeFacts[]): Json {
  const found = new Map<string, unknown>();
  for (const [name, value] of Object.entries(source)) {
    const fact = findFacts(facts, name);
    const assigned = fact && canonicalValue(value, fact);
    if (fact && assigned !== undefined) found.set(fact.name, assigned);
  }
  return Object.fromEntries(found);
}

/** @returns undefined for an unassigned value: null, and an empty array */
export function canonicalValue(value: unknown, fact: AttributeFacts): unknown {
  if (value === null || value === undefined) return undefined;
  if (!fact.multiValued) return single(unwrapped(value, fact), fact);
  // A client may send one value without an array.
  const given: unknown[] = Array.isArray(value) ? value : [value];
  assertFew(given, fact);
  const values = given.map((one) => single(one, fact)).filter((one) => one !== undefined);
  return values.length === 0 ? undefined : values;
}

/** Code that follows the reference code of Microsoft sends a single value as `[{ "value": … }]`. */
function unwrapped(value: unknown, { type }: AttributeFacts): unknown {
  const [one, ...others] = Array.isArray(value) ? value : [];
  if (one === undefined || others.length > 0) return value;
  return isObject(one) && type !== 'complex' ? memberOf(one, 'value') : one;
}

/** Texts of attributes are at most as long as their columns; longer ones would make comparisons expensive. */
const longestText = 1_024;

/** Number of values of an attribute. Members of a group are not read here. */
const mostValues = 100;

/** @throws AppError `invalid_request` with the keyword `tooMany` */
export function assertFew(values: readonly unknown[], { name }: AttributeFacts): void {
  if (values.length > mostValues)
    throw scimError(
      'tooMany',
      message('The attribute {name} can have at most {limit} values', { name, limit: mostValues }),
    );
}

function single(value: unknown, fact: AttributeFacts): unknown {
  if (value === null) return undefined;
  switch (fact.type) {
    case 'complex':
      return complex(value, fact);
    case 'boolean':
      return booleanOf(value) ?? refuse(fact, 'boolean');
    case 'reference':
      return typeof value === 'string' ? textOf(value, fact) : undefined;
    case 'string':
      // Directories have numbers in attributes that are texts here.
      if (typeof value === 'number') return String(value);
      return typeof value === 'string' ? textOf(value, fact) : refuse(fact, 'string');
  }
}

function textOf(value: string, { name }: AttributeFacts): string {
  if (value.length > longestText)
    throw scimError('invalidValue', message('The attribute {name} has no valid value', { name }));
  return value;
}

function complex(value: unknown, fact: AttributeFacts): unknown {
  const members = fact.subAttributes ?? [];
  // A text stands for the member `value`.
  if (typeof value === 'string' && fact.multiValued) return canonical({ value }, members);
  if (!isObject(value)) return refuse(fact, 'object');
  const found = canonical(value, members);
  return Object.keys(found).length === 0 ? undefined : found;
}

/** Entra ID and Okta also send booleans as texts. */
function booleanOf(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  return typeof value === 'string' ? { true: true, false: false }[value.trim().toLowerCase()] : undefined;
}

function refuse({ name }: AttributeFacts, type: string): never {
  throw scimError('invalidValue', message('The attribute {name} must be of the type {type}', { name, type }));
}
