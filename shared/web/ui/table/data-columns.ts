import type { ComponentChildren } from 'preact';
import type { SortOrder } from './columns.ts';
import type { Range } from './windowing.ts';

/** A column of a table whose rows the server sorts. */
export type DataColumn<Row> = {
  key: string;
  header: string;
  cell: (row: Row) => ComponentChildren;
  align?: 'end';
  /** The server can sort by this column. */
  isSortable?: boolean;
  /** Its share of the width, in relation to the other columns. Default: 1, which is at least 8 rem. */
  share?: number;
};

export type DataTableProps<Row> = {
  caption: string;
  columns: readonly DataColumn<Row>[];
  /** Rows that are known to exist. */
  count: number;
  /** Of all rows, if it is known. */
  total?: number | undefined;
  /** Undefined while the row is loaded. */
  rowAt: (index: number) => Row | undefined;
  onRange: (range: Range) => void;
  order: SortOrder | undefined;
  onSort: (key: string) => void;
  /** Opens a row, on a click and with the Enter key. */
  onOpen?: (row: Row) => void;
  selection?: Selection<Row>;
};

export type Selection<Row> = {
  has: (row: Row) => boolean;
  toggle: (row: Row) => void;
  labelOf: (row: Row) => string;
  /** The box in the header. */
  all: { label: string; isChecked: boolean; onToggle: () => void };
};
