import { keepPreviousData, useQueries, useQuery, useQueryClient } from '@tanstack/preact-query';
import { useEffect, useState } from 'preact/hooks';
import type { Range } from '../../../../../shared/web/ui/table/windowing.ts';
import type { Row } from '../kinds.ts';
import { type ListQuery, type Page, readPage } from '../requests.ts';

/** Rows of a page. */
const pageSize = 100;

export type Rows = {
  /** Rows that are known to exist: those of all pages up to the last known one. */
  count: number;
  /** Of all rows, as soon as it was counted. */
  total: number | undefined;
  rowAt: (index: number) => Row | undefined;
  /** The rows in view, and those of their pages that are not. */
  loaded: () => Row[];
  /** Is called with the rows that are shown; their pages are read. */
  onRange: (range: Range) => void;
  /** The first page as the API returned it, with what it says beside its items. */
  answer: Page | undefined;
  isLoading: boolean;
  error: Error | null;
};

/** The start of each known page: its cursor, and undefined for the first one. */
type Chain = { key: string; cursors: (string | undefined)[]; lastCount: number | undefined };

/**
 * The rows of a list of any length, read by pages as they are scrolled into view. Pages that were left long ago are
 * forgotten and read again by their cursors.
 */
export function useRows(type: string, path: string, query: ListQuery, canCount: boolean): Rows {
  const key = JSON.stringify([path, query]);
  const [range, setRange] = useState<Range>({ first: 0, last: 1 });
  const [chain, setChain] = useState<Chain>({ key, cursors: [undefined], lastCount: undefined });
  const current = chain.key === key ? chain : { key, cursors: [undefined], lastCount: undefined };
  const pages = pagesIn(range, current.cursors.length);
  const results = useQueries({
    queries: pages.map((page) => ({
      queryKey: ['list', type, key, current.cursors[page] ?? ''],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        readPage(path, { ...query, cursor: current.cursors[page], limit: String(pageSize) }, signal),
      gcTime: 60_000,
    })),
  });
  const known = results.map(({ data }) => data);
  useForgetting(type, key, pages);
  useEffect(() => setChain((old) => extended(old, key, pages, known)), [key, pages.join(), ...known]);
  const byPage = new Map(pages.map((page, at) => [page, known[at]]));
  const hasMore = current.lastCount === undefined && current.cursors.length > 1;
  const total = useTotal({ type, path, query, isNeeded: canCount && hasMore });
  const [first, setFirst] = useState<{ key: string; page: Page }>();
  const head = byPage.get(0);
  if (head && (first?.page !== head || first.key !== key)) setFirst({ key, page: head });
  const isLoading = results.some(({ isLoading }) => isLoading);
  return {
    count: countOf(current, byPage, isLoading),
    total: hasMore ? total : undefined,
    rowAt: (index) => byPage.get(Math.floor(index / pageSize))?.items[index % pageSize],
    loaded: () => known.flatMap((page) => page?.items ?? []),
    onRange: setRange,
    answer: first?.key === key ? first.page : undefined,
    isLoading,
    error: results.find(({ error }) => error !== null)?.error ?? null,
  };
}

/** Pages that are kept besides those that are shown. */
const mostKept = 20;

/** Forgets the pages that were left first, so that a long list does not fill the memory. */
function useForgetting(type: string, key: string, pages: readonly number[]): void {
  const client = useQueryClient();
  useEffect(() => {
    const cache = client.getQueryCache();
    const left = cache.findAll({ queryKey: ['list', type, key], type: 'inactive' });
    for (const page of left.slice(0, -mostKept)) cache.remove(page);
  }, [client, type, key, pages.join()]);
}

/** The pages with the rows of a range, as far as their cursors are known, and one more. */
function pagesIn({ first, last }: Range, known: number): number[] {
  const from = Math.min(Math.floor(first / pageSize), known - 1);
  const to = Math.min(Math.floor((Math.max(last, 1) - 1) / pageSize) + 1, known - 1);
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}

/** The chain with the cursors that the pages name. */
function extended(
  old: Chain,
  key: string,
  pages: readonly number[],
  known: readonly (Page | undefined)[],
): Chain {
  const start: Chain = old.key === key ? old : { key, cursors: [undefined], lastCount: undefined };
  return pages.reduce((chain, page, at) => withPage(chain, page, known[at]), start);
}

/** The same chain if the page changes nothing in it. */
function withPage(chain: Chain, page: number, read: Page | undefined): Chain {
  if (!read) return chain;
  const { cursors } = chain;
  const next = page + 1;
  if (read.next === null) {
    const isKnown = cursors.length === next && chain.lastCount === read.items.length;
    return isKnown ? chain : { ...chain, cursors: cursors.slice(0, next), lastCount: read.items.length };
  }
  if (cursors[next] === read.next) return chain;
  const lastCount = next < cursors.length ? chain.lastCount : undefined;
  return { ...chain, cursors: cursors.toSpliced(next, 1, read.next), lastCount };
}

function countOf(
  { cursors, lastCount }: Chain,
  byPage: Map<number, Page | undefined>,
  isLoading: boolean,
): number {
  const last = cursors.length - 1;
  const ofLast = lastCount ?? byPage.get(last)?.items.length ?? (isLoading && last === 0 ? 10 : 0);
  // A page that is not read yet has at least one row, so that it can be scrolled to.
  return last * pageSize + (last > 0 ? Math.max(1, ofLast) : ofLast);
}

type Counted = { type: string; path: string; query: ListQuery; isNeeded: boolean };

/** Counts the rows of a list with several pages. */
function useTotal({ type, path, query, isNeeded }: Counted): number | undefined {
  const { sort: _, ...filters } = query;
  const { data } = useQuery({
    queryKey: ['list', type, 'total', JSON.stringify([path, filters])],
    queryFn: async ({ signal }) =>
      (await readPage(path, { ...filters, count: 'exact', limit: '1' }, signal)).total,
    enabled: isNeeded,
    staleTime: 30_000,
    placeholderData: keepPreviousData,
  });
  return data;
}
