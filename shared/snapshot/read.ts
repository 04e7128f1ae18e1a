import type { PartState } from '../../db/repositories/snapshot/sync.ts';
import { AppError } from '../kernel/errors.ts';
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

/** What a read found besides its rows, which went to `keep` page by page. */
export type ReadOutcome =
  /** The list is the one of the etag, or nothing in it changed since. */
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

/** A list without any row that is of use, and why: the cause of the error of such a read. */
export class UselessRows extends Error {
  readonly dropped: readonly Ignored[];

  constructor(dropped: readonly Ignored[]) {
    super('no row has an identity');
    this.dropped = dropped;
  }
}

type Ask<K extends ListKind> = (query: ListQuery) => Promise<ListPage<ListRow<K>> | null>;
type Keep<K extends ListKind> = (rows: CheckedRow<ListRow<K>>[]) => Promise<void>;

const pageSize = 1_000;
/** Where rows are so large that a thousand of them exceed the limit of bytes. */
const smallPageSize = 100;
/** 300,000 rows; a node that has more, or whose pages never end, is not read. */
const maxPages = 300;

/**
 * Reads a list from one node, never more than a page of it in memory: what changed since the last read where the node
 * understands that, otherwise everything.
 * @throws AppError `upstream_*`
 */
export async function readPart<K extends ListKind>(
  node: Node,
  state: PartState,
  ask: Ask<K>,
  keep: Keep<K>,
): Promise<ReadOutcome> {
  // What another node said, or this one too long ago, is not built upon.
  const known = state.dispatcher_id === node.id && !state.is_full_due ? state : nothing;
  const condition = conditionOf(known);
  const askPage = shrinking(ask);
  const first = await askPage(condition);
  if (first === null) return { changed: false, asOf: null };
  const total = await readPages(node, first, keep, (cursor) => askPage({ since: condition.since, cursor }));
  const { kept, dropped, removed } = total;
  // A node that speaks of something else altogether has not lost its rows.
  if (kept === 0 && dropped.length > 0 && !removed)
    throw badAnswer(node, 'wrong_shape', new UselessRows(dropped));
  if (removed && kept + removed.length + dropped.length === 0) return { changed: false, asOf: first.asOf };
  const { since = null } = condition;
  return {
    changed: true,
    rows: kept,
    asOf: first.asOf,
    since,
    etag: since === null ? (first.etag ?? null) : null,
    isIncremental: since === null ? known.is_incremental : removed !== undefined,
    removed,
    dropped,
  };
}

type Total = { kept: number; dropped: Ignored[]; removed: string[] | undefined };

async function readPages<K extends ListKind>(
  node: Node,
  first: ListPage<ListRow<K>>,
  keep: Keep<K>,
  askNext: (cursor: string) => Promise<ListPage<ListRow<K>> | null>,
): Promise<Total> {
  const total: Total = {
    kept: 0,
    dropped: [],
    removed: first.removed && [],
  };
  const nextOf = followCursors(node);
  let page: typeof first | null = first;
  for (let n = 1; page; n++) {
    // Before the rows are written: a node whose list never ends is not read.
    const cursor = nextOf({ next: page.next, isEmpty: isEmpty(page) });
    if (cursor !== undefined && n === maxPages) throw badAnswer(node, 'too_large');
    addPage(total, page);
    if (page.rows.length > 0) await keep(page.rows);
    page = cursor === undefined ? null : await askNext(cursor);
  }
  return total;
}

const isEmpty = ({ rows, dropped, removed = [] }: ListPage<unknown>): boolean =>
  rows.length + dropped.length + removed.length === 0;

type Condition = Pick<ListQuery, 'since' | 'etag'>;

type Known = Pick<PartState, 'as_of' | 'etag' | 'is_incremental'>;
const nothing: Known = { as_of: null, etag: null, is_incremental: null };

/** Once a node has not understood `since`, it is asked by its validator until everything is read anew. */
function conditionOf({ as_of, etag, is_incremental }: Known): Condition {
  if (as_of !== null && is_incremental !== false) return { since: as_of };
  return etag === null ? {} : { etag };
}

/** Where a page of the usual size has too many bytes, it and those after it are asked for in smaller pieces. */
function shrinking<K extends ListKind>(ask: Ask<K>) {
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
  total.kept += rows.length;
  total.removed?.push(...removed);
  total.dropped.push(...dropped);
}
