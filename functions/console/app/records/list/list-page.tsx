import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { problemOf } from '../../../../../shared/web/problems/problem.ts';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { countText } from '../../../../../shared/web/text/numbers.ts';
import { LinkButton } from '../../../../../shared/web/ui/controls/button.tsx';
import { Empty } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { DataTable } from '../../../../../shared/web/ui/table/data-table.tsx';
import { addressOf, changedQuery, open, usePlace } from '../../router/place.ts';
import { say } from '../../texts.ts';
import { useExtension } from '../extensions.ts';
import { allowed, idOf, type Kind, type Parents, type Row, titleOf } from '../kinds.ts';
import { RecordDialog } from '../record/record-dialog.tsx';
import { listPath } from '../requests.ts';
import { chosenColumns, tableColumns } from './columns.tsx';
import { Filters } from './filters.tsx';
import classes from './list.module.css';
import { type ListView, listQueryOf, orderOf, sortedBy, viewOf } from './list-address.ts';
import { ListTools } from './list-tools.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { type Rows, useRows } from './use-rows.ts';
import { useSelection } from './use-selection.ts';

/** The list of a kind of records. Search, filters, order and columns are in the address. */
export function ListPage({ kind }: { kind: Kind }): JSX.Element {
  const { query } = usePlace();
  const view = viewOf(kind, query);
  const rows = useRows(
    kind.type,
    listPath(kind, view.parents),
    listQueryOf(view),
    kind.list.canCount === true,
  );
  const change = (changes: Record<string, string | undefined>) =>
    open(addressOf([kind.type], changedQuery(query, changes)), { isSame: true });
  return (
    <div class={classes.page}>
      <div class={classes.heading}>
        <h1>
          {kind.many} <Count rows={rows} />
        </h1>
        <ListTools kind={kind} view={view} onColumns={(names) => change({ columns: names?.join() })} />
      </div>
      <Filters kind={kind} view={view} onChange={change} />
      <Head kind={kind} view={view} rows={rows} />
      {rows.error !== null && <ProblemNotice problem={problemOf(rows.error)} />}
      <RowsOf kind={kind} view={view} rows={rows} onSort={(key) => change(sortedBy(view, key, query))} />
    </div>
  );
}

function Count({ rows: { count, total, isLoading } }: { rows: Rows }): JSX.Element | null {
  if (isLoading && count <= 10) return null;
  return <span class={classes.count}>{countText(total ?? count)}</span>;
}

/** What a kind shows above its table, such as the state of the farms. */
function Head({ kind, view, rows }: Omit<RowsOfProps, 'onSort'>): JSX.Element | null {
  const ListHead = useExtension(kind)?.ListHead;
  return ListHead && rows.answer ? (
    <ListHead kind={kind} parents={view.parents} answer={rows.answer} />
  ) : null;
}

type RowsOfProps = { kind: Kind; view: ListView; rows: Rows; onSort: (key: string) => void };

function RowsOf({ kind, view, rows, onSort }: RowsOfProps): JSX.Element {
  const [shown, setShown] = useState<Row>();
  const { parents } = view;
  const { rowAddress, SelectionActions } = useExtension(kind) ?? {};
  const columns = useMemo(
    () => tableColumns(kind, chosenColumns(kind, view.columns), parents, setShown, rowAddress),
    [kind, view.columns?.join(), JSON.stringify(parents), rowAddress],
  );
  const selection = useSelection(kind, rows, SelectionActions !== undefined);
  const address = addressesIn(kind, parents, rowAddress);
  return (
    <>
      {selection && selection.keys.length > 0 && (
        <SelectionBar kind={kind} parents={parents} selection={selection} />
      )}
      {isEmpty(rows) ? (
        <Nothing kind={kind} view={view} />
      ) : (
        <DataTable
          {...rows}
          caption={kind.many}
          columns={columns}
          rowKey={(row) => idOf(kind, row)}
          order={orderOf(view)}
          onSort={onSort}
          onOpen={(row) => openRow(address(row), () => setShown(row))}
          {...(selection && { selection: selection.ofTable })}
        />
      )}
      {shown && (
        <RecordDialog
          kind={kind}
          row={shown}
          title={titleOf(kind, shown)}
          onClose={() => setShown(undefined)}
        />
      )}
    </>
  );
}

const addressesIn = (kind: Kind, parents: Parents, own?: (row: Row) => string) => (row: Row) =>
  kind.get ? addressOf([kind.type, idOf(kind, row)], parents) : own?.(row);

function openRow(address: string | undefined, show: () => void): void {
  if (address === undefined) show();
  else open(address);
}

const isEmpty = ({ count, isLoading, error }: Rows): boolean => count === 0 && !isLoading && error === null;

/** An empty list says what to do first. */
function Nothing({ kind, view }: { kind: Kind; view: ListView }): JSX.Element {
  const isFiltered = view.search !== '' || Object.keys(view.filters).length > 0;
  if (isFiltered)
    return (
      <Empty icon="search" title={say('no_matches')}>
        <a href={addressOf([kind.type], view.parents)}>{say('remove_filters')}</a>
      </Empty>
    );
  const create = allowed(kind.create);
  return (
    <Empty icon="records" title={say('no_records')}>
      {create && <LinkButton href={addressOf([kind.type, 'new'], view.parents)}>{create.label}</LinkButton>}
    </Empty>
  );
}
