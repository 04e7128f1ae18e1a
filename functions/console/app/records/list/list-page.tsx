import type { JSX } from 'preact';
import { useCallback, useMemo, useState } from 'preact/hooks';
import { problemOf } from '../../../../../shared/web/problems/problem.ts';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { countText } from '../../../../../shared/web/text/numbers.ts';
import { Empty } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { DataTable } from '../../../../../shared/web/ui/table/data-table.tsx';
import { addressOf, changedQuery, open, placeOf, type Query, usePlace } from '../../router/place.ts';
import { say } from '../../texts.ts';
import { useExtension } from '../extensions.ts';
import { idOf, type Kind, type Parents, type Row, titleOf, useKinds } from '../kinds.ts';
import { RecordDialog } from '../record/record-dialog.tsx';
import { listPath } from '../requests.ts';
import { SavedViews } from '../views/saved-views.tsx';
import { all, storedQuery, useDefaultView } from '../views/use-views.ts';
import { chosenColumns, type Naming, type Titles, tableColumns } from './columns.tsx';
import { Filters } from './filters.tsx';
import classes from './list.module.css';
import { type ListView, orderOf, sortedBy, useListQuery, viewOf } from './list-address.ts';
import { CreateButtons, ListTools } from './list-tools.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { type Rows, useRows } from './use-rows.ts';
import { useSelection } from './use-selection.ts';

/** The list of a kind of records. Search, filters, order and columns are in the address. */
export function ListPage({ kind }: { kind: Kind }): JSX.Element {
  const { query } = usePlace();
  const view = viewOf(kind, query, useExtension(kind)?.columns);
  const rows = useRows(
    kind.type,
    listPath(kind, view.parents),
    useListQuery(kind, view),
    kind.list.canCount === true,
  );
  useDefaultView(kind, query);
  const change = (changes: Record<string, string | undefined>) => {
    // What was typed settles later, when the address may have changed already.
    const changed = changedQuery(placeOf(location.hash).query, changes);
    const isPlain = storedQuery(kind, new URLSearchParams(given(changed))) === '';
    // Without a search and filters the address says that this is what the reader wants.
    open(addressOf([kind.type], { ...changed, [all]: isPlain ? '1' : undefined }), { isSame: true });
  };
  return (
    <div class={classes.page}>
      <div class={classes.heading}>
        <h1>
          {kind.many} <Count rows={rows} />
        </h1>
        <ListTools kind={kind} view={view} onColumns={(names) => change({ columns: names?.join() })} />
      </div>
      <OwnFilters kind={kind} />
      <Filters kind={kind} view={view} onChange={change} />
      <SavedViews kind={kind} query={query} />
      <Head kind={kind} view={view} rows={rows} />
      {rows.error !== null && <ProblemNotice problem={problemOf(rows.error)} />}
      <RowsOf kind={kind} view={view} rows={rows} onSort={(key) => change(sortedBy(view, key, query))} />
    </div>
  );
}

/** Without members that have no value. */
const given = (query: Query): Record<string, string> =>
  Object.fromEntries(Object.entries(query).flatMap(([name, value]) => (value ? [[name, value]] : [])));

function Count({ rows: { count, total, isLoading } }: { rows: Rows }): JSX.Element | null {
  if (isLoading && count <= 10) return null;
  return <span class={classes.count}>{countText(total ?? count)}</span>;
}

/** Filters that a kind has besides those of its list. */
function OwnFilters({ kind }: { kind: Kind }): JSX.Element | null {
  const ListFilters = useExtension(kind)?.ListFilters;
  return ListFilters ? <ListFilters kind={kind} /> : null;
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
  const titles = { ...useNaming(kind), addressOf: useAddresses(kind, parents), onShow: setShown };
  const columns = useColumns(kind, view, titles);
  const ListBody = useExtension(kind)?.ListBody;
  const selection = useSelection(kind, rows, useHasActions(kind));
  return (
    <>
      {selection && selection.keys.length > 0 && (
        <SelectionBar kind={kind} parents={parents} selection={selection} />
      )}
      {isEmpty(rows) && (!ListBody || isFiltered(view)) ? (
        <Nothing kind={kind} view={view} />
      ) : ListBody ? (
        <ListBody kind={kind} rows={rows} />
      ) : (
        <DataTable
          {...rows}
          caption={kind.many}
          columns={columns}
          order={orderOf(view)}
          onSort={onSort}
          onOpen={(row) => openRow(row, titles)}
          {...(selection && { selection: selection.ofTable })}
        />
      )}
      {shown && (
        <RecordDialog
          kind={kind}
          row={shown}
          title={titles.nameOf(shown)}
          onClose={() => setShown(undefined)}
        />
      )}
    </>
  );
}

function openRow(row: Row, { addressOf: addressAt, onShow }: Titles): void {
  const address = addressAt(row);
  if (address === undefined) onShow(row);
  else open(address);
}

function useColumns(kind: Kind, { columns }: ListView, titles: Titles) {
  const cells = useExtension(kind)?.cells;
  return useMemo(
    () => tableColumns(kind, chosenColumns(kind, columns), titles, cells),
    [kind, columns?.join(), titles.nameOf, titles.addressOf, cells],
  );
}

/** The pages of records: of the kind, or of another one that its rows are shown as. */
function useAddresses(kind: Kind, parents: Parents): Titles['addressOf'] {
  const own = useExtension(kind)?.rowAddress;
  return useCallback(
    (row: Row) => (kind.get ? addressOf([kind.type, idOf(kind, row)], parents) : own?.(row)),
    [kind, JSON.stringify(parents), own],
  );
}

function useNaming(kind: Kind): Naming {
  const kinds = useKinds();
  const title = useExtension(kind)?.title;
  const nameOf = useCallback(
    (row: Row) => (title ? title.of(row, kinds ?? []) : titleOf(kind, row)),
    [kind, kinds, title],
  );
  return { nameOf, ...(title && { titleLabel: title.label }) };
}

/** The kind has actions on selected records, and the user may use one of them. */
function useHasActions(kind: Kind): boolean {
  const { SelectionActions, canSelect = () => true } = useExtension(kind) ?? {};
  const kinds = useKinds() ?? [];
  return SelectionActions !== undefined && canSelect(kind, kinds);
}

const isEmpty = ({ count, isLoading, error }: Rows): boolean => count === 0 && !isLoading && error === null;

const isFiltered = ({ search, filters }: ListView): boolean =>
  search !== '' || Object.keys(filters).length > 0;

/** An empty list says what to do first. */
function Nothing({ kind, view }: { kind: Kind; view: ListView }): JSX.Element {
  if (isFiltered(view))
    return (
      <Empty icon="search" title={say('no_matches')}>
        <a href={addressOf([kind.type], { ...view.parents, [all]: '1' })}>{say('remove_filters')}</a>
      </Empty>
    );
  return (
    <Empty icon="records" title={say('no_records')}>
      <div class={classes.creation}>
        <CreateButtons kind={kind} view={view} />
      </div>
    </Empty>
  );
}
