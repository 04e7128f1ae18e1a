import type { JSX } from 'preact';
import type { DataColumn } from '../../../../../shared/web/ui/table/data-columns.ts';
import { addressOf } from '../../router/place.ts';
import { Value } from '../fields/value.tsx';
import {
  type Field,
  idOf,
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

/** Kinds whose usual columns do not follow from the weights. */
const usual: Readonly<Record<string, readonly string[]>> = {
  portalUser: ['real_name', 'authenticator_id', 'state', 'roles', 'locked_until', 'last_login_at'],
  loginSession: ['authenticator_id', 'portal', 'source_ip', 'platform', 'created_at', 'last_seen_at'],
  issuedToken: ['user', 'authenticator_id', 'own', 'expires_at', 'last_seen_at'],
};

/** The columns of a list that the reader has not chosen. */
export function usualColumns(kind: Kind): Field[] {
  const [title, ...rest] = possibleColumns(kind);
  const names = usual[kind.type];
  if (names) return [...(title ? [title] : []), ...rest.filter(({ name }) => names.includes(name))];
  const chosen = rest
    .filter((field) => weightOf(field) > 0)
    .sort((a, b) => weightOf(b) - weightOf(a))
    .slice(0, mostUsual - 1);
  return [...(title ? [title] : []), ...rest.filter((field) => chosen.includes(field))];
}

export function chosenColumns(kind: Kind, names: readonly string[] | undefined): Field[] {
  if (!names) return usualColumns(kind);
  const [title, ...rest] = possibleColumns(kind);
  return [...(title ? [title] : []), ...rest.filter(({ name }) => names.includes(name))];
}

/** The columns of a table. The first one is a link to the record. */
export const tableColumns = (
  kind: Kind,
  fields: readonly Field[],
  parents: Parents,
  onShow: (row: Row) => void,
  rowAddress?: (row: Row) => string,
): DataColumn<Row>[] =>
  fields.map((field, at) => ({
    key: field.name,
    header: field.label,
    isSortable: kind.list.sorts.some(({ value }) => value === field.name),
    ...((field.type === 'integer' || field.type === 'number') && { align: 'end' as const }),
    share: at === 0 ? 1.75 : 1,
    cell: (row) =>
      at === 0 ? (
        <Title
          kind={kind}
          row={row}
          onShow={onShow}
          address={kind.get ? addressOf([kind.type, idOf(kind, row)], parents) : rowAddress?.(row)}
        />
      ) : (
        <Value field={field} value={row[field.name]} row={row} isShort={true} />
      ),
  }));

type TitleProps = { kind: Kind; row: Row; address: string | undefined; onShow: (row: Row) => void };

/** The name of a record, which opens it. */
const Title = ({ kind, row, address, onShow }: TitleProps): JSX.Element =>
  address !== undefined ? (
    <a href={address}>{titleOf(kind, row)}</a>
  ) : (
    <button type="button" class={classes.opener} onClick={() => onShow(row)}>
      {titleOf(kind, row)}
    </button>
  );
