import type { PartState } from '../../db/repositories/snapshot/sync.ts';
import { AppError } from '../kernel/errors.ts';
import { isCapable } from '../remotes/dispatcher/capabilities.ts';
import { followCursors } from '../remotes/dispatcher/cursors.ts';
import { badAnswer } from '../remotes/dispatcher/failures.ts';
import type { Node } from '../remotes/dispatcher/port.ts';
import type {
  CheckedRow,
  Ignored,
  ListKind,
  ListPage,
  ListQuery,
  ListRow,
} from '../remotes/dispatcher/rows.ts';

/** The result of a read. The rows themselves go to `keep` page by page. */
export type ReadOutcome =
  /** The etag still matches, or nothing has changed since the last read. */
  | { changed: false; asOf: string | null }
  | {
      changed: true;
      rows: number;
      asOf: string;
      since: string | null;
      etag: string | null;
      isIncremental: boolean | null;
      removed: string[] | undefined;
      /** One entry for each row that was dropped because it has no identity. */
      dropped: Ignored[];
    };

/** All rows of a list were dropped. This is the cause of the error of such a read. */
export class UselessRows extends Error {
  readonly dropped: readonly Ignored[];

  constructor(dropped: readonly Ignored[]) {
    super('no row has an identity');
    this.dropped = dropped;
  }
}

type ListReader<K extends ListKind> = (query: ListQuery) => Promise<ListPage<ListRow<K>> | null>;
type Keep<K extends ListKind> = (rows: CheckedRow<ListRow<K>>[]) => Promise<void>;

const pageSize = 1_000;
/** Used if a page of 1,000 rows exceeds the byte limit. */
const smallPageSize = 100;
/** 300,000 rows. A list with more rows, or with endless pages, is refused. */
const maxPages = 300;

/**
 * Reads a list from one node, with at most one page in memory. Reads the changes since the last read if the node
 * supports `since`, otherwise the whole list.
 * @throws AppError `upstream_*`
 */
export async function readPart<K extends ListKind>(
  node: Node,
  state: PartState,
  ask: ListReader<K>,
  keep: Keep<K>,
): Promise<ReadOutcome> {
  // An incremental read continues only a recent read of the same node.
  const known = state.dispatcher_id === node.id && !state.is_full_due ? state : nothing;
  const condition = conditionOf(node, known);
  const askPage = shrinking(ask);
  const first = await askPage(condition);
  if (first === null) return { changed: false, asOf: null };
  const total = await readPages(node, first, keep, (cursor) => askPage({ since: condition.since, cursor }));
  const { rows, dropped, removed } = total;
  // A full list without any valid row is a wrong response, not an empty list.
  if (rows === 0 && dropped.length > 0 && !removed)
    throw badAnswer(node, 'wrong_shape', new UselessRows(dropped));
  if (removed && rows + removed.length + dropped.length === 0) return { changed: false, asOf: first.asOf };
  const { since = null } = condition;
  return {
    changed: true,
    rows,
    asOf: first.asOf,
    since,
    etag: since === null ? (first.etag ?? null) : null,
    isIncremental: since === null ? known.is_incremental : removed !== undefined,
    removed,
    dropped,
  };
}

type Total = { rows: number; dropped: Ignored[]; removed: string[] | undefined };

async function readPages<K extends ListKind>(
  node: Node,
  first: ListPage<ListRow<K>>,
  keep: Keep<K>,
  askNext: (cursor: string) => Promise<ListPage<ListRow<K>> | null>,
): Promise<Total> {
  const total: Total = {
    rows: 0,
    dropped: [],
    removed: first.removed && [],
  };
  const nextOf = followCursors(node);
  let page: typeof first | null = first;
  for (let n = 1; page; n++) {
    // The check precedes the write of the rows, so that an endless list is refused.
    const cursor = nextOf({ next: page.next, isEmpty: isEmpty(page) });
    if (cursor !== undefined && n === maxPages) throw badAnswer(node, 'too_large');
    addPage(total, page);
    for (const part of partsOf(page.rows)) await keep(part);
    page = cursor === undefined ? null : await askNext(cursor);
  }
  return total;
}

/** A page without a limit is stored in parts. */
const partsOf = <R>(rows: readonly R[]): R[][] =>
  Array.from({ length: Math.ceil(rows.length / pageSize) }, (_, n) =>
    rows.slice(n * pageSize, (n + 1) * pageSize),
  );

const isEmpty = ({ rows, dropped, removed = [] }: ListPage<unknown>): boolean =>
  rows.length + dropped.length + removed.length === 0;

type Condition = Pick<ListQuery, 'since' | 'etag'>;

type Known = Pick<PartState, 'as_of' | 'etag' | 'is_incremental'>;
const nothing: Known = { as_of: null, etag: null, is_incremental: null };

/** After a node has ignored `since`, its etag is used until the next full read. */
function conditionOf({ kind }: Node, { as_of, etag, is_incremental }: Known): Condition {
  const mayReportChanges = is_incremental !== false && isCapable(kind, 'paged_lists');
  if (as_of !== null && mayReportChanges) return { since: as_of };
  return etag === null ? {} : { etag };
}

/** If a page exceeds the byte limit, it and the following pages are requested in a smaller size. */
function shrinking<K extends ListKind>(ask: ListReader<K>) {
  let limit = pageSize;
  return async (query: Omit<ListQuery, 'limit'>) => {
    try {
      return await ask({ ...query, limit });
    } catch (error) {
      const isTooLarge = error instanceof AppError && error.members.reason === 'too_large';
      if (!isTooLarge || limit === smallPageSize) throw error;
      limit = smallPageSize;
      return ask({ ...query, limit });
    }
  };
}

function addPage(total: Total, { rows, dropped, removed = [] }: ListPage<unknown>): void {
  total.rows += rows.length;
  total.removed?.push(...removed);
  total.dropped.push(...dropped);
}
