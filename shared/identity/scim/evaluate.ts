import type { Filter, FilterValue } from '../../../db/repositories/identity/scim/filter.ts';
import { isObject } from '../../kernel/json/json.ts';
import { type AttributeFacts, findFacts } from './attributes.ts';

/** True if a value of a multi-valued attribute meets the filter of a path. Unknown members have no value. */
export function meets(value: unknown, filter: Filter, facts: readonly AttributeFacts[]): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.parts.every((part) => meets(value, part, facts));
    case 'or':
      return filter.parts.some((part) => meets(value, part, facts));
    case 'not':
      return !meets(value, filter.part, facts);
    case 'values':
      return false;
    case 'present':
      return isAssigned(memberOf(value, filter.path.name));
    case 'compare': {
      const fact = findFacts(facts, filter.path.name);
      const own = memberOf(value, filter.path.name);
      return compares(own, filter, fact?.caseExact ?? false);
    }
  }
}

/** The conditions that `meets` has to ask about one value, at most. */
export function conditionsIn(filter: Filter): number {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.parts.reduce((sum, part) => sum + conditionsIn(part), 0);
    case 'not':
    case 'values':
      return conditionsIn(filter.part);
    case 'present':
    case 'compare':
      return 1;
  }
}

const isAssigned = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

/** The member of an object by its name in any case. */
export function memberOf(value: unknown, name: string): unknown {
  if (!isObject(value)) return undefined;
  const wanted = name.toLowerCase();
  const key = Object.keys(value).find((own) => own.toLowerCase() === wanted);
  return key === undefined ? undefined : value[key];
}

function compares(
  own: unknown,
  { operator, value }: Extract<Filter, { kind: 'compare' }>,
  caseExact: boolean,
): boolean {
  if (operator === 'ne') return !equals(own, value, caseExact);
  if (operator === 'eq') return equals(own, value, caseExact);
  if (typeof own !== 'string' || typeof value !== 'string' || own === '') return false;
  const [one, other] = caseExact ? [own, value] : [own.toLowerCase(), value.toLowerCase()];
  switch (operator) {
    case 'co':
      return one.includes(other);
    case 'sw':
      return one.startsWith(other);
    case 'ew':
      return one.endsWith(other);
    case 'gt':
      return one > other;
    case 'ge':
      return one >= other;
    case 'lt':
      return one < other;
    case 'le':
      return one <= other;
  }
}

function equals(own: unknown, value: FilterValue, caseExact: boolean): boolean {
  if (value === null) return !isAssigned(own);
  if (typeof own === 'boolean' || typeof value === 'boolean')
    return String(own).toLowerCase() === String(value).toLowerCase();
  if (typeof own === 'string' && typeof value === 'string' && !caseExact)
    return own !== '' && own.toLowerCase() === value.toLowerCase();
  return own === value;
}
