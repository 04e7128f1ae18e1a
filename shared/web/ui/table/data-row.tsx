import type { JSX } from 'preact';
import { shortcutOf } from '../../keys/shortcuts.ts';
import type { DataTableProps, Selection } from './data-columns.ts';
import classes from './data-table.module.css';

type DataRowProps<Row> = Pick<DataTableProps<Row>, 'columns' | 'rowAt' | 'onOpen' | 'selection'> & {
  index: number;
  top: number;
  onMove: (index: number) => void;
};

const steps: Readonly<Record<string, number>> = {
  ...{ ArrowDown: 1, ArrowUp: -1, PageDown: 12, PageUp: -12 },
  ...{ j: 1, k: -1, Home: Number.NEGATIVE_INFINITY, End: Number.POSITIVE_INFINITY },
};

/** One row, or its place while it is loaded. It gets the focus by the arrow keys. */
export function DataRow<Row>(props: DataRowProps<Row>): JSX.Element {
  const { index, top, rowAt, selection } = props;
  const row = rowAt(index);
  return (
    <tr
      class={classes.row}
      aria-rowindex={index + 2}
      {...(selection && row !== undefined && { 'aria-selected': selection.has(row) })}
      data-index={index}
      tabIndex={index === 0 ? 0 : -1}
      style={{ top: `${top}px` }}
      onKeyDown={(event) => onKey(event, { ...props, row })}
    >
      {selection && <Box selection={selection} row={row} />}
      <Cells {...props} row={row} />
    </tr>
  );
}

/** Pixels, as in the style. */
export const rowHeight = 44;

type Pressed<Row> = DataRowProps<Row> & { row: Row | undefined };

function onKey<Row>(event: KeyboardEvent, { index, onMove, onOpen, selection, row }: Pressed<Row>): void {
  const isModified = event.ctrlKey || event.metaKey || event.altKey;
  const pressed = event.key.length === 1 ? shortcutOf(event) : event.key;
  if (pressed === undefined && event.key !== ' ') return;
  const step = isModified ? undefined : steps[pressed ?? ''];
  // Links and boxes within the row have keys of their own.
  const isOwn = event.target === event.currentTarget;
  if (step !== undefined) onMove(index + step);
  else if (!isOwn || row === undefined) return;
  else if (event.key === 'Enter' && onOpen) onOpen(row);
  else if ((event.key === ' ' || pressed === 'x') && selection) selection.toggle(row);
  else return;
  event.preventDefault();
}

type BoxProps<Row> = { selection: Selection<Row>; row: Row | undefined };

const Box = <Row,>({ selection, row }: BoxProps<Row>): JSX.Element => (
  <td class={classes.box}>
    {row !== undefined && (
      <input
        type="checkbox"
        tabIndex={-1}
        aria-label={selection.labelOf(row)}
        checked={selection.has(row)}
        onChange={() => selection.toggle(row)}
      />
    )}
  </td>
);

const Cells = <Row,>({
  columns,
  row,
}: Pick<DataRowProps<Row>, 'columns'> & { row: Row | undefined }): JSX.Element => (
  <>
    {columns.map(({ key, align, cell }, at) => {
      const style = `${classes.cell} ${align === 'end' ? classes.end : ''}`;
      const content = row === undefined ? <span class={classes.waiting} /> : cell(row);
      return at === 0 ? (
        <th key={key} scope="row" class={style}>
          {content}
        </th>
      ) : (
        <td key={key} class={style}>
          {content}
        </td>
      );
    })}
  </>
);
