import { asc, desc, type SQL, sql } from 'drizzle-orm';
import type { Position } from '../../../../shared/kernel/cursor.ts';
import type { Attribute } from './conditions.ts';
import { type AttributePath, attributeOf, FilterFault } from './filter.ts';
import type { Source } from './sources.ts';

export type Sort = { by: AttributePath; descending: boolean };

/** The expression of an order, and the type of its values. Null is unassigned: last in ascending order (RFC 7644, 3.4.2.3). */
export type Order = { by: SQL; type: 'text' | 'timestamptz' | 'boolean'; isNullable: boolean };

export const isDescending = (sort: Sort | undefined): boolean => sort?.descending ?? false;

/** @returns undefined if the resources of the source do not have the attribute. @throws FilterFault if it has no order */
export function orderIn({ attributes, created }: Source, sort: Sort | undefined): Order | undefined {
  if (!sort) return { by: created, type: 'timestamptz', isNullable: false };
  const found = attributes[attributeOf(sort.by).toLowerCase()];
  return found && orderOf(found, sort.by);
}

/** @throws FilterFault for an attribute that no resource has */
export function mustBeSorted(sort: Sort | undefined, order: Order | undefined): Order {
  if (!order) throw new FilterFault('attribute', sort ? attributeOf(sort.by) : '');
  return order;
}

function orderOf(attribute: Attribute, path: AttributePath): Order {
  switch (attribute.type) {
    case 'text': {
      const text = attribute.caseExact ? attribute.text : sql`lower(${attribute.text})`;
      return { by: sql`(nullif(${text}, '') collate "C")`, type: 'text', isNullable: true };
    }
    case 'moment':
      return { by: attribute.value, type: 'timestamptz', isNullable: false };
    case 'boolean':
      return { by: attribute.value, type: 'boolean', isNullable: false };
    case 'values': {
      const value = attribute.members.value;
      // Only users have a single address; a group has many members.
      if (value?.type !== 'text' || attributeOf(path).toLowerCase() !== 'emails')
        throw new FilterFault('attribute', attributeOf(path));
      return orderOf(value, path);
    }
  }
}

/** The key of a row for its position. The empty text is the key of an unassigned value. */
export const keyOf = (by: SQL): SQL<string> => sql<string>`coalesce((${by})::text, '')`;

/** PostgreSQL has null last in ascending order, and first in descending order. */
export const directed = (expressions: readonly SQL[], descending: boolean): SQL[] =>
  expressions.map((one) => (descending ? desc(one) : asc(one)));

/** The condition that a row follows the start of the page. */
export function beyondStart(
  start: { after: Position } | { offset: number },
  { by, type, isNullable }: Order,
  id: SQL,
  descending: boolean,
): SQL | undefined {
  if (!('after' in start)) return undefined;
  const { key, id: last } = start.after;
  const sign = descending ? sql`<` : sql`>`;
  if (isNullable && key === '') {
    const beyond = sql`${by} is null and ${id} ${sign} ${last}::uuid`;
    return descending ? sql`(${by} is not null or (${beyond}))` : sql`(${beyond})`;
  }
  const beyond = sql`(${by}, ${id}) ${sign} (${String(key)}::${sql.raw(type)}, ${last}::uuid)`;
  return isNullable && !descending ? sql`(${beyond} or ${by} is null)` : beyond;
}
