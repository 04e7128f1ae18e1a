import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { DataColumn, DataTableProps } from './data-columns.ts';
import { DataRow, rowHeight } from './data-row.tsx';
import classes from './data-table.module.css';
import { scrolledHeight, useView } from './windowing.ts';

/** The column with boxes, in rem. */
const boxWidth = 2.75;

/**
 * A table of any number of rows, of which only those in its window are drawn. Arrow keys move between rows; Space selects and
 * Enter opens the row.
 */
export function DataTable<Row>(props: DataTableProps<Row>): JSX.Element {
  const { caption, columns, count, total, selection, onRange } = props;
  const place = useRef<HTMLElement>(null);
  const { first, last, shift, show } = useView(place, count, rowHeight);
  useEffect(() => onRange({ first, last }), [first, last, onRange]);
  const shares = columns.map(({ share = 1 }) => share);
  const tracks = shares.map((share) => `minmax(calc(${share} * var(--narrowest)), ${share}fr)`);
  const style = {
    '--tracks': [selection && `${boxWidth}rem`, ...tracks].filter(Boolean).join(' '),
    '--shares': shares.reduce((sum, share) => sum + share, 0),
  };
  const indexes = Array.from({ length: Math.max(0, last - first) }, (_, at) => first + at);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: an element that scrolls is reached by keyboard
    <section ref={place} class={classes.place} tabIndex={0} aria-label={caption} style={style}>
      <table class={classes.table} aria-label={caption} aria-rowcount={total ?? -1}>
        <Head {...props} />
        <Rows {...props} place={place} indexes={indexes} shift={shift} show={show} />
      </table>
    </section>
  );
}

function Head<Row>({ columns, order, onSort, selection }: DataTableProps<Row>): JSX.Element {
  return (
    <thead class={classes.head}>
      <tr class={classes.row} aria-rowindex={1}>
        {selection && (
          <th scope="col" class={classes.box}>
            <input
              type="checkbox"
              aria-label={selection.all.label}
              checked={selection.all.isChecked}
              onChange={selection.all.onToggle}
            />
          </th>
        )}
        {columns.map((column) => (
          <HeadCell key={column.key} column={column} order={order} onSort={onSort} />
        ))}
      </tr>
    </thead>
  );
}

type HeadCellProps<Row> = Pick<DataTableProps<Row>, 'order' | 'onSort'> & { column: DataColumn<Row> };

function HeadCell<Row>({ column, order, onSort }: HeadCellProps<Row>): JSX.Element {
  const { key, header, align, isSortable } = column;
  const direction = order?.key === key ? order.direction : 'none';
  return (
    <th
      scope="col"
      class={`${classes.cell} ${align === 'end' ? classes.end : ''}`}
      {...(isSortable && { 'aria-sort': direction })}
    >
      {isSortable ? (
        <button type="button" class={classes.sort} onClick={() => onSort(key)}>
          {header}
          <span class={classes.arrow} data-direction={direction} aria-hidden="true" />
        </button>
      ) : (
        header
      )}
    </th>
  );
}

type RowsProps<Row> = DataTableProps<Row> & {
  place: { current: HTMLElement | null };
  indexes: readonly number[];
  shift: number;
  show: (index: number) => void;
};

function Rows<Row>({ place, indexes, shift, show, ...props }: RowsProps<Row>): JSX.Element {
  const { count } = props;
  /** The row that gets the focus as soon as it is drawn. */
  const wanted = useRef<number | undefined>(undefined);
  const focus = (index: number) => {
    const row = place.current?.querySelector<HTMLElement>(`[data-index="${index}"]`);
    // The table has scrolled already. A browser centres a row that is partly hidden, and many rows can pass meanwhile.
    if (row) row.focus({ preventScroll: true });
    else wanted.current = index;
  };
  useLayoutEffect(() => {
    if (wanted.current === undefined || !indexes.includes(wanted.current)) return;
    focus(wanted.current);
    wanted.current = undefined;
  });
  const move = (index: number) => {
    const next = Math.max(0, Math.min(count - 1, index));
    show(next);
    focus(next);
  };
  return (
    <tbody class={classes.body} style={{ height: `${scrolledHeight(count, rowHeight)}px` }}>
      {indexes.map((index) => (
        <DataRow key={index} {...props} index={index} top={index * rowHeight - shift} onMove={move} />
      ))}
    </tbody>
  );
}
