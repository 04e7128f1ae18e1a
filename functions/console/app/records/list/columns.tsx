import type { ComponentType, JSX } from 'preact';
import type { DataColumn } from '../../../../../shared/web/ui/table/data-columns.ts';
import { addressOf } from '../../router/place.ts';
import type { CellProps, Extension } from '../extension.ts';
import { Value } from '../fields/value.tsx';
import {
  type Field,
  idOf,
  isNamedBeside,
  isNameOfReference,
  type Kind,
  type Parents,
  type Row,
  titleField,
  titleOf,
} from '../kinds.ts';
import classes from './list.module.css';

/** Members that no table shows. */
const isShowable = ({ name, type }: Field): boolean =>
  type !== 'secret' && type !== 'json' && !['id', 'uuid', 'prev_hash', 'hash'].includes(name);

/** Members that can be columns, the name first. */
export function possibleColumns(kind: Kind): Field[] {
  const title = titleField(kind);
  const rest = kind.columns.filter(
    (field) =>
      field !== title &&
      isShowable(field) &&
      !isNameOfReference(field, kind.columns) &&
      !isNamedBeside(field, kind.columns),
  );
  return [title, ...rest];
}

const mostUsual = 7;
/** Members that say most about a record are before the others. */
const weights: Readonly<Record<string, number>> = {
  state: 9,
  status: 8,
  level: 8,
  at: 8,
  site_id: 7,
  farm_id: 7,
};

function weightOf({ name, type, isMany }: Field): number {
  if (weights[name] !== undefined) return weights[name];
  if (type === 'object' || type === 'long_text' || isMany) return -1;
  if (type === 'time') return /^(?:created|updated)_at$/.test(name) ? -1 : 1;
  if (type === 'reference') return 5;
  if (type === 'choice') return 4;
  return name.endsWith('_count') || name.endsWith('_percent') ? 3 : 2;
}

/** The columns of a list that the reader has not chosen. */
export function usualColumns(kind: Kind): Field[] {
  const [title, ...rest] = possibleColumns(kind);
  const chosen = rest
    .filter((field) => weightOf(field) > 0)
    .sort((a, b) => weightOf(b) - weightOf(a))
    .slice(0, mostUsual - 1);
  return [...(title ? [title] : []), ...rest.filter((field) => chosen.includes(field))];
}

/** @param usual names of the usual columns, where the kind has its own */
export function chosenColumns(
  kind: Kind,
  names: readonly string[] | undefined,
  usual?: readonly string[],
): Field[] {
  if (!names) return usual ? inThisOrder(kind, usual) : usualColumns(kind);
  const [title, ...rest] = possibleColumns(kind);
  return [...(title ? [title] : []), ...rest.filter(({ name }) => names.includes(name))];
}

function inThisOrder(kind: Kind, names: readonly string[]): Field[] {
  const [title, ...rest] = possibleColumns(kind);
  const chosen = names.flatMap((name) => rest.filter((field) => field.name === name));
  return [...(title ? [title] : []), ...chosen];
}

type TableColumnsOptions = {
  parents: Parents;
  onShow: (row: Row) => void;
  /** Cells that the kind has instead of the general ones. */
  cells: Extension['cells'];
};

/** The columns of a table. The first one is a link to the record. */
export const tableColumns = (
  kind: Kind,
  fields: readonly Field[],
  { parents, onShow, cells }: TableColumnsOptions,
): DataColumn<Row>[] =>
  fields.map((field, at) => ({
    key: field.name,
    header: field.label,
    isSortable: kind.list.sorts.some(({ value }) => value === field.name),
    ...((field.type === 'integer' || field.type === 'number') && { align: 'end' as const }),
    share: at === 0 ? 1.75 : 1,
    cell: (row) =>
      at === 0 ? (
        <Title kind={kind} row={row} parents={parents} onShow={onShow} />
      ) : (
        <Cell field={field} row={row} Own={cells?.[field.name]} />
      ),
  }));

type OwnCellProps = CellProps & { Own: ComponentType<CellProps> | undefined };

const Cell = ({ field, row, Own }: OwnCellProps): JSX.Element =>
  Own ? (
    <Own field={field} row={row} />
  ) : (
    <Value field={field} value={row[field.name]} row={row} isShort={true} />
  );

type TitleProps = { kind: Kind; row: Row; parents: Parents; onShow: (row: Row) => void };

/** The name of a record, which opens it. */
const Title = ({ kind, row, parents, onShow }: TitleProps): JSX.Element =>
  kind.get ? (
    <a href={addressOf([kind.type, idOf(kind, row)], parents)}>{titleOf(kind, row)}</a>
  ) : (
    <button type="button" class={classes.opener} onClick={() => onShow(row)}>
      {titleOf(kind, row)}
    </button>
  );
