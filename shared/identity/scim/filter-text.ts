import type { AttributePath, Filter, FilterValue } from '../../../db/repositories/identity/scim/filter.ts';

/** Writes a filter in the grammar of RFC 7644. Parsing the text returns an equal filter. */
export function filterText(filter: Filter): string {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.parts.map(partText).join(` ${filter.kind} `);
    case 'not':
      return `not (${filterText(filter.part)})`;
    case 'values':
      return `${pathText(filter.path)}[${filterText(filter.part)}]`;
    case 'present':
      return `${pathText(filter.path)} pr`;
    case 'compare':
      return `${pathText(filter.path)} ${filter.operator} ${valueText(filter.value)}`;
  }
}

/** A nested chain keeps its parentheses, also where the precedence does not need them. */
const partText = (part: Filter): string =>
  part.kind === 'and' || part.kind === 'or' ? `(${filterText(part)})` : filterText(part);

export const pathText = ({ schema, name, sub }: AttributePath): string =>
  `${schema === undefined ? '' : `${schema}:`}${name}${sub === undefined ? '' : `.${sub}`}`;

const valueText = (value: FilterValue): string => JSON.stringify(value);
