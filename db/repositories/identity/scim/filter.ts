/** The value of a comparison in a filter. */
export type FilterValue = string | number | boolean | null;

/** An attribute as written: the names keep their case, which has no meaning. */
export type AttributePath = { schema?: string; name: string; sub?: string };

export const compareOperators = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const;
export type CompareOperator = (typeof compareOperators)[number];

/** A filter of SCIM (RFC 7644, 3.4.2.2). `parts` has at least two elements. */
export type Filter =
  | { kind: 'and' | 'or'; parts: Filter[] }
  | { kind: 'not'; part: Filter }
  | { kind: 'present'; path: AttributePath }
  | { kind: 'compare'; path: AttributePath; operator: CompareOperator; value: FilterValue }
  /** The values of a multi-valued attribute: one of them meets `part`. */
  | { kind: 'values'; path: AttributePath; part: Filter };

/** Why a filter cannot be applied. */
export class FilterFault extends Error {
  readonly reason: 'attribute' | 'operator' | 'value';
  readonly attribute: string;

  constructor(reason: FilterFault['reason'], attribute: string) {
    super(`${reason} ${attribute}`);
    this.reason = reason;
    this.attribute = attribute;
  }
}

export const attributeOf = ({ name, sub }: AttributePath): string =>
  sub === undefined ? name : `${name}.${sub}`;
