import { cutPage, type PageQuery, startOf } from './paging.ts';
import type { Stamps } from './stamps.ts';

/** `removed` is present only when the rows are changes after `since`; without it they are the full list. */
export type Page<Row> = { rows: Row[]; next: string | null; as_of: number; removed?: string[] };

/** Rows by identifier with the time of their last change or removal. */
export type Collection<Row> = {
  get(uuid: string): Row | undefined;
  all(): Row[];
  put(uuid: string, row: Row): void;
  touch(uuid: string): void;
  remove(uuid: string): void;
  /** @throws Refusal 400 for an invalid cursor */
  page(query: PageQuery): Page<Row>;
  /** Increases with every change; validators contain it. */
  version(): string;
};

type Entry<Row> = { row: Row; changed: number };

export function createCollection<Row>(stamps: Stamps): Collection<Row> {
  const born = stamps.read();
  const entries = new Map<string, Entry<Row>>();
  const removed = new Map<string, number>();
  let changes = 0;
  let sorted: string[] | undefined;

  const put = (uuid: string, row: Row): void => {
    if (!entries.has(uuid)) sorted = undefined;
    entries.set(uuid, { row, changed: stamps.change() });
    removed.delete(uuid);
    changes += 1;
  };
  return {
    get: (uuid) => entries.get(uuid)?.row,
    all: () => [...entries.values()].map(({ row }) => row),
    put,
    touch: (uuid) => {
      const entry = entries.get(uuid);
      if (entry) put(uuid, entry.row);
    },
    remove: (uuid) => {
      if (!entries.delete(uuid)) return;
      sorted = undefined;
      changes += 1;
      removed.set(uuid, stamps.change());
    },
    page: (query) => {
      sorted ??= [...entries.keys()].sort();
      return pageOf(entries, removed, cutOf(entries, sorted, query, stamps, born));
    },
    version: () => `${born}.${changes}`,
  };
}

const cutOf = <Row>(
  entries: Map<string, Entry<Row>>,
  sorted: string[],
  query: PageQuery,
  stamps: Stamps,
  born: number,
) =>
  cutPage(sorted, startOf(query, stamps.read, born), query.limit, (uuid) => entries.get(uuid)?.changed ?? 0);

/** The first page contains all removals. */
function pageOf<Row>(
  entries: Map<string, Entry<Row>>,
  removed: Map<string, number>,
  { uuids, next, start }: ReturnType<typeof cutPage>,
): Page<Row> {
  const { after, as_of, since } = start;
  const page = { rows: uuids.flatMap((uuid) => entries.get(uuid)?.row ?? []), next, as_of };
  if (since === null) return page;
  const gone = after === '' ? [...removed].filter(([, at]) => at > since).map(([uuid]) => uuid) : [];
  return { ...page, removed: gone };
}
