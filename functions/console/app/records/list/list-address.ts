import { useMemo } from 'preact/hooks';
import type { SortOrder } from '../../../../../shared/web/ui/table/columns.ts';
import { changedQuery, type Query } from '../../router/place.ts';
import type { Kind, Parents } from '../kinds.ts';
import type { ListQuery } from '../requests.ts';
import { isRelative, parametersOf, resolvedQuery } from './ranges.ts';

/** What a list shows, as its address says it. */
export type ListView = {
  parents: Parents;
  search: string;
  /** Values of filters by name. */
  filters: Readonly<Record<string, string>>;
  sort: string;
  /** Names of columns; undefined for the usual ones. */
  columns: string[] | undefined;
};

/** @param usual columns that are shown if the address names none */
export function viewOf(kind: Kind, query: URLSearchParams, usual?: readonly string[]): ListView {
  const filters = kind.list.filters.flatMap(parametersOf).flatMap((name) => {
    const value = query.get(name);
    return value === null || value === '' ? [] : [[name, value]];
  });
  const sort = query.get('sort') ?? '';
  const isKnown = kind.list.sorts.some(({ value }) => value === sort.replace(/^-/, ''));
  const columns = query.get('columns')?.split(',') ?? usual;
  return {
    parents: parentsOf(kind, query),
    search: query.get('search') ?? '',
    filters: Object.fromEntries(filters),
    sort: isKnown ? sort : kind.list.defaultSort,
    columns: columns?.filter((name) => kind.columns.some((column) => column.name === name)),
  };
}

/** The records that the records of this kind belong to. */
export const parentsOf = ({ parents }: Kind, query: URLSearchParams): Parents =>
  Object.fromEntries(parents.map((name) => [name, query.get(name) ?? '']));

/** The members of a request for the list. Times in relation to now are those at `now`. */
export const listQueryOf = (
  kind: Kind,
  { search, filters, sort }: ListView,
  now = Date.now(),
): ListQuery => ({
  ...resolvedQuery(kind.list.filters, filters, now),
  ...(search !== '' && { search }),
  sort,
});

/** The members of a request that stays the same while the address does, so that its pages fit together. */
export function useListQuery(kind: Kind, view: ListView): ListQuery {
  const times = Object.values(view.filters).filter(isRelative).join();
  const now = useMemo(Date.now, [kind.type, times]);
  return listQueryOf(kind, view, now);
}

export const orderOf = ({ sort }: ListView): SortOrder => ({
  key: sort.replace(/^-/, ''),
  direction: sort.startsWith('-') ? 'descending' : 'ascending',
});

/** The address after a click on the header of a column: ascending, then descending. */
export function sortedBy(view: ListView, key: string, query: URLSearchParams): Query {
  return changedQuery(query, { sort: view.sort === key ? `-${key}` : key });
}
