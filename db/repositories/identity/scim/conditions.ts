import { and, not, or, type SQL, sql } from 'drizzle-orm';
import {
  type AttributePath,
  attributeOf,
  type CompareOperator,
  type Filter,
  FilterFault,
  type FilterValue,
} from './filter.ts';

/**
 * How an attribute is compared. Each expression is never null: an unassigned text is empty, so that each condition is true or
 * false.
 */
export type Attribute =
  | {
      type: 'text';
      text: SQL;
      caseExact?: true;
      /** A faster form of equality, which an index supports. */
      equals?: (value: string) => SQL;
    }
  | { type: 'boolean'; value: SQL }
  | { type: 'moment'; value: SQL }
  /** A multi-valued attribute. `any` is the condition that one of its values meets a condition on its members. */
  | { type: 'values'; any: (condition: SQL | undefined) => SQL; members: Attributes };

/** Attributes by their names in lower case, `name.sub` for those of a complex attribute. */
export type Attributes = Readonly<Record<string, Attribute>>;

/**
 * The condition that a row meets a filter.
 * @param lenient unknown attributes have no value, as for a query over several types of resources
 * @throws FilterFault
 */
export function conditionOf(filter: Filter, attributes: Attributes, lenient = false): SQL {
  const inner = (part: Filter): SQL => conditionOf(part, attributes, lenient);
  switch (filter.kind) {
    case 'and':
      return and(...filter.parts.map(inner)) ?? sql`true`;
    case 'or':
      return or(...filter.parts.map(inner)) ?? sql`false`;
    case 'not':
      return not(sql`(${inner(filter.part)})`);
    case 'values':
      return valuesCondition(filter, attributes, lenient);
    case 'present':
    case 'compare':
      return plainCondition(filter, attributes, lenient);
  }
}

type Plain = Extract<Filter, { kind: 'present' | 'compare' }>;

function valuesCondition(
  { path, part }: Extract<Filter, { kind: 'values' }>,
  attributes: Attributes,
  lenient: boolean,
): SQL {
  const found = attributes[keyOf(path)];
  if (!found && (lenient || isAccepted(path))) return sql`false`;
  if (found?.type !== 'values') throw new FilterFault('attribute', attributeOf(path));
  return found.any(conditionOf(part, found.members));
}

/** Attributes of RFC 7643 (4.1, 4.3) that clients may send and the portal does not store: no resource has a value. */
const accepted: ReadonlySet<string> = new Set([
  ...[
    'nickname',
    'profileurl',
    'title',
    'usertype',
    'preferredlanguage',
    'locale',
    'timezone',
    'phonenumbers',
  ],
  ...['ims', 'photos', 'addresses', 'entitlements', 'roles', 'x509certificates', 'name', 'employeenumber'],
  ...['costcenter', 'organization', 'division', 'department', 'manager'],
]);
const isAccepted = ({ name }: AttributePath): boolean => accepted.has(name.toLowerCase());

const keyOf = (path: AttributePath): string => attributeOf(path).toLowerCase();

function plainCondition(filter: Plain, attributes: Attributes, lenient: boolean): SQL {
  const { path } = filter;
  const found = attributes[keyOf(path)];
  if (found?.type === 'values') return valueCondition(filter, found, 'value');
  if (found) return filter.kind === 'present' ? isPresent(found) : comparison(found, filter);
  const list = attributes[path.name.toLowerCase()];
  if (list?.type === 'values' && path.sub !== undefined) return valueCondition(filter, list, path.sub);
  if (!lenient && !isAccepted(path)) throw new FilterFault('attribute', attributeOf(path));
  return filter.kind === 'compare' && isAbsence(filter) ? sql`true` : sql`false`;
}

/** `emails co "x"` and `emails.value co "x"` are conditions on one of the values. */
const valueCondition = (
  filter: Plain,
  { any, members }: Extract<Attribute, { type: 'values' }>,
  member: string,
): SQL => any(plainCondition({ ...filter, path: { name: member } }, members, false));

/** True for a comparison that an unassigned attribute meets. */
const isAbsence = ({ operator, value }: { operator: CompareOperator; value: FilterValue }): boolean =>
  (operator === 'ne') !== (value === null) && ['eq', 'ne'].includes(operator);

function isPresent(attribute: Attribute): SQL {
  switch (attribute.type) {
    case 'text':
      return sql`${attribute.text} <> ''`;
    case 'boolean':
    case 'moment':
      return sql`true`;
    case 'values':
      return attribute.any(undefined);
  }
}

function comparison(attribute: Attribute, filter: Extract<Filter, { kind: 'compare' }>): SQL {
  const { operator, value, path } = filter;
  const fault = (reason: FilterFault['reason']) => new FilterFault(reason, attributeOf(path));
  if (value === null) return nullComparison(attribute, operator) ?? raise(fault('operator'));
  if (operator === 'ne') return not(sql`(${comparison(attribute, { ...filter, operator: 'eq' })})`);
  switch (attribute.type) {
    case 'text':
      if (typeof value !== 'string') throw fault('value');
      return textComparison(attribute, operator, value);
    case 'boolean':
      if (operator !== 'eq') throw fault('operator');
      return sql`${attribute.value} = ${booleanOf(value) ?? raise(fault('value'))}`;
    case 'moment':
      return momentComparison(attribute.value, operator, momentOf(value) ?? raise(fault('value')), fault);
    case 'values':
      throw fault('attribute');
  }
}

function nullComparison(attribute: Attribute, operator: CompareOperator): SQL | undefined {
  if (operator === 'eq') return not(sql`(${isPresent(attribute)})`);
  return operator === 'ne' ? isPresent(attribute) : undefined;
}

function raise(error: Error): never {
  throw error;
}

/** Entra ID sends booleans as texts. */
const booleanOf = (value: FilterValue): boolean | undefined =>
  ({ true: true, false: false })[String(value).toLowerCase()];

function momentOf(value: FilterValue): string | undefined {
  const isText = typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value);
  const time = isText ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : new Date(Math.min(Math.max(time, earliest), latest)).toISOString();
}

/** PostgreSQL reads no year 0, and ISO 8601 writes years after 9999 in another way. No resource is older or younger. */
const [earliest, latest] = [Date.parse('0001-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59Z')];

const signs = { eq: sql`=`, gt: sql`>`, ge: sql`>=`, lt: sql`<`, le: sql`<=` } as const;
type Ordering = keyof typeof signs;
const isOrdering = (operator: CompareOperator): operator is Ordering => Object.hasOwn(signs, operator);

function momentComparison(
  value: SQL,
  operator: CompareOperator,
  at: string,
  fault: (reason: FilterFault['reason']) => FilterFault,
): SQL {
  if (!isOrdering(operator)) throw fault('operator');
  return sql`${value} ${signs[operator]} ${at}::timestamptz`;
}

type TextAttribute = Extract<Attribute, { type: 'text' }>;

function textComparison(attribute: TextAttribute, operator: CompareOperator, value: string): SQL {
  if (operator === 'eq' && attribute.equals) return attribute.equals(value);
  const folded = (text: SQL): SQL => (attribute.caseExact ? text : sql`lower(${text})`);
  const [own, other] = [folded(attribute.text), folded(sql`${value}::text`)];
  return sql`(${attribute.text} <> '' and ${compared(operator, own, other)})`;
}

function compared(operator: CompareOperator, own: SQL, other: SQL): SQL {
  switch (operator) {
    case 'co':
      return sql`strpos(${own}, ${other}) > 0`;
    case 'sw':
      return sql`starts_with(${own}, ${other})`;
    case 'ew':
      return sql`right(${own}, length(${other})) = ${other}`;
    default:
      // Byte-wise, so that all runtimes and databases agree.
      return sql`${own} collate "C" ${signs[operator as Ordering]} ${other} collate "C"`;
  }
}
