import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { Skeleton } from '../feedback/feedback.tsx';
import { type Column, inOrder, nextOrder, type SortOrder } from './columns.ts';
import classes from './table.module.css';

type TableProps<Row> = {
  /** Names the table for screen readers. */
  caption: string;
  isCaptionShown?: boolean;
  /** The first column is the header of each row. */
  columns: readonly Column<Row>[];
  /** Undefined while the rows are loaded. */
  rows: readonly Row[] | undefined;
  rowKey: (row: Row) => string;
  /** Shown instead of rows if there are none. */
  empty: string;
};

/**
 * A table whose rows the reader can sort. Where it is narrow, each row is a block with labels, and the sortable headers
 * are a row of buttons.
 */
export function Table<Row>({ caption, isCaptionShown = false, ...body }: TableProps<Row>): JSX.Element {
  const [order, setOrder] = useState<SortOrder>();
  const { columns, rows } = body;
  const sorted = useMemo(() => rows && inOrder(rows, columns, order), [rows, columns, order]);
  return (
    <div class={classes.place}>
      <table class={classes.table} aria-busy={rows === undefined}>
        <caption class={isCaptionShown ? classes.caption : 'unseen'}>{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <Header
                key={column.key}
                column={column}
                order={order}
                onSort={() => setOrder(nextOrder(order, column.key))}
              />
            ))}
          </tr>
        </thead>
        <Body {...body} rows={sorted} />
      </table>
    </div>
  );
}

const Body = <Row,>({
  columns,
  rows,
  rowKey,
  empty,
}: Pick<TableProps<Row>, 'columns' | 'rows' | 'rowKey' | 'empty'>): JSX.Element => (
  <tbody>
    {rows?.map((row) => (
      <tr key={rowKey(row)}>
        {columns.map((column, at) => (
          <Cell key={column.key} column={column} row={row} isHeader={at === 0} />
        ))}
      </tr>
    ))}
    {rows?.length === 0 && <Message columns={columns.length}>{empty}</Message>}
    {rows === undefined && (
      <Message columns={columns.length}>
        <Skeleton height="6rem" />
      </Message>
    )}
  </tbody>
);

type HeaderProps<Row> = { column: Column<Row>; order: SortOrder | undefined; onSort: () => void };

function Header<Row>({ column, order, onSort }: HeaderProps<Row>): JSX.Element {
  const direction = order?.key === column.key ? order.direction : 'none';
  if (!column.sort)
    return (
      <th scope="col" class={styleOf(column)}>
        {column.header}
      </th>
    );
  return (
    <th scope="col" class={`${styleOf(column)} ${classes.sortable}`} aria-sort={direction}>
      <button type="button" onClick={onSort}>
        {column.header}
        <span class={classes.arrow} data-direction={direction} aria-hidden="true" />
      </button>
    </th>
  );
}

type CellProps<Row> = { column: Column<Row>; row: Row; isHeader: boolean };

const Cell = <Row,>({ column, row, isHeader }: CellProps<Row>): JSX.Element =>
  isHeader ? (
    <th scope="row" class={styleOf(column)}>
      {column.cell(row)}
    </th>
  ) : (
    <td class={styleOf(column)} data-label={column.header}>
      <div>{column.cell(row)}</div>
    </td>
  );

const Message = ({ columns, children }: { columns: number; children: JSX.Element | string }): JSX.Element => (
  <tr class={classes.message}>
    <td colSpan={columns}>{children}</td>
  </tr>
);

const styleOf = <Row,>({ align, priority }: Column<Row>): string =>
  [align === 'end' && classes.end, priority === 'low' && classes.low].filter(Boolean).join(' ');
