import type { ComponentType, JSX } from 'preact';
import type { DataColumn } from '../../../../../shared/web/ui/table/data-columns.ts';
import type { CellProps, Extension } from '../extension.ts';
import { isNamedByUser, NameBadge } from '../fields/person-badges.tsx';
import { Value } from '../fields/value.tsx';
import { type Field, isNamedBeside, isNameOfReference, type Kind, type Row, titleField } from '../kinds.ts';
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
      !isNamedBeside(field, kind.columns) &&
      field.name !== `${title.name}_id`,
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
function usualColumns(kind: Kind): Field[] {
  const [title, ...rest] = possibleColumns(kind);
  const hasState = rest.some(({ name }) => name === 'state');
  const chosen = rest
    // A state says more than a status: it also has the maintenance.
    .filter((field) => weightOf(field) > 0 && !(hasState && field.name === 'status'))
    .sort((a, b) => weightOf(b) - weightOf(a))
    .slice(0, mostUsual - 1);
  return [...(title ? [title] : []), ...chosen];
}

/** The columns with these names, in their order. */
export function chosenColumns(kind: Kind, names: readonly string[] | undefined): Field[] {
  if (!names) return usualColumns(kind);
  const [title, ...rest] = possibleColumns(kind);
  const chosen = names.flatMap((name) => rest.filter((field) => field.name === name));
  return [...(title ? [title] : []), ...chosen];
}

/** How records are named in the first column. */
export type Naming = { nameOf: (row: Row) => string; titleLabel?: string };

export type Titles = Naming & {
  /** Of the page of a record. Undefined: it is shown in a dialog. */
  addressOf: (row: Row) => string | undefined;
  onShow: (row: Row) => void;
};

/** Cells that a kind has instead of the general ones. */
type Cells = Extension['cells'];

/** The columns of a table. The first one is a link to the record. */
export const tableColumns = (
  kind: Kind,
  fields: readonly Field[],
  { titleLabel, ...titles }: Titles,
  cells?: Cells,
): DataColumn<Row>[] =>
  fields.map((field, at) => ({
    key: field.name,
    header: (at === 0 ? titleLabel : undefined) ?? field.label,
    isSortable: kind.list.sorts.some(({ value }) => value === field.name),
    ...((field.type === 'integer' || field.type === 'number') && { align: 'end' as const }),
    share: at === 0 ? 1.75 : 1,
    cell: (row) =>
      at === 0 ? (
        <Title row={row} {...titles} isOfUser={titleLabel === undefined && isNamedByUser(kind)} />
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

type TitleProps = Titles & { row: Row; isOfUser: boolean };

/** The name of a record, which opens it. */
function Title({ row, isOfUser, nameOf, addressOf, onShow }: TitleProps): JSX.Element {
  const address = addressOf(row);
  return (
    <>
      {address !== undefined ? (
        <a href={address}>{nameOf(row)}</a>
      ) : (
        <button type="button" class={classes.opener} onClick={() => onShow(row)}>
          {nameOf(row)}
        </button>
      )}
      {isOfUser && <NameBadge name={nameOf(row)} />}
    </>
  );
}
