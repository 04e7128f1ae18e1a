import type { ComponentChildren } from 'preact';

/** A column of a table. */
export type Column<Row> = {
  key: string;
  header: string;
  cell: (row: Row) => ComponentChildren;
  /** Numbers are at the end. Default: start. */
  align?: 'end';
  /** A column of low priority is left out where the table is neither wide nor shown as blocks. */
  priority?: 'low';
  /** The value by which rows are sorted; null is last. Without it the column is not sortable. */
  sort?: (row: Row) => string | number | null;
};

export type SortOrder = { key: string; direction: 'ascending' | 'descending' };

/** @returns the order after a click on the header of a column: ascending, descending, then the order of the rows */
export function nextOrder(order: SortOrder | undefined, key: string): SortOrder | undefined {
  if (order?.key !== key) return { key, direction: 'ascending' };
  return order.direction === 'ascending' ? { key, direction: 'descending' } : undefined;
}

/** Rows in an order. Rows with equal values stay as they were; those without a value are last in both directions. */
export function inOrder<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  order: SortOrder | undefined,
): readonly Row[] {
  const sort = columns.find(({ key }) => key === order?.key)?.sort;
  if (!sort) return rows;
  const sign = order?.direction === 'descending' ? -1 : 1;
  return [...rows].sort((a, b) => compared(sort(a), sort(b), sign));
}

function compared(a: string | number | null, b: string | number | null, sign: number): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (typeof a === 'number' && typeof b === 'number') return sign * (a - b);
  return sign * String(a).localeCompare(String(b), undefined, { numeric: true });
}
