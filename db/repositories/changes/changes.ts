import { sql } from 'drizzle-orm';
import type { Db } from '../../client.ts';
import { changeMarks, changes } from '../../schema/changes/changes.ts';

/** A place in the order of changes: behind all changes of earlier transactions, and behind `seq` in this one. */
export type ChangePosition = { xid: bigint; seq: number };

/**
 * A change of an object, or of many objects of the kind if `id` is null. `list` is absent except for the kind `snapshot`.
 * `sites` are those before and after the change; null if the object is visible in any scope.
 */
export type Change = ChangePosition & {
  kind: string;
  id: string | null;
  list: string | undefined;
  sites: string[] | null;
  /** What the transaction did; `updated` for many objects. */
  action: 'created' | 'updated' | 'deleted';
  at: Date;
  /** It was made more than an hour ago. */
  isOld: boolean;
};

export type ChangePage = {
  /** The first characters of a random identifier of the database. */
  epoch: string;
  /** Changes of transactions up to this one may have been removed. */
  removedTo: bigint;
  /** All transactions before this one have ended. Changes of this one and of later ones are not on the page. */
  horizon: bigint;
  /** The last change before the horizon that is still stored. */
  last: ChangePosition | undefined;
  /** In their order, at most `mostChanges`. */
  items: Change[];
};

/** Maximum number of changes of a page. */
export const mostChanges = 1_000;

type Row = {
  epoch: string;
  removed_to: string;
  horizon: string;
  last: { xid: string; seq: number } | null;
  items: {
    xid: string;
    seq: number;
    kind: string;
    id: string;
    list: string;
    sites: string[] | null;
    action: Change['action'];
    at: string;
    old: boolean;
  }[];
};

/**
 * Reads the changes after a position, in one statement. They are ordered by transaction, and end before the oldest
 * transaction that still runs: otherwise a change that commits late would be inserted before changes that were already
 * read. A transaction that runs for long therefore delays later changes of others.
 * @param after undefined reads no changes
 */
export async function readChanges(db: Db, after: ChangePosition | undefined): Promise<ChangePage> {
  return changePageIn(await changesAfter(db, after));
}

/** The statement of `readChanges`; `changePageIn` reads its result. */
export const changesAfter = (db: Db, after: ChangePosition | undefined) => {
  const { xid, seq } = after ?? { xid: 0n, seq: 0 };
  const limit = after ? mostChanges : 0;
  return db.execute(sql`
    select left(${changeMarks.epoch}::text, 8) as epoch, ${changeMarks.removed_to}::text as removed_to,
      pg_snapshot_xmin(pg_current_snapshot())::text as horizon,
      (select json_build_object('xid', ${changes.xid}::text, 'seq', ${changes.seq}) from ${changes}
        where ${changes.xid} < pg_snapshot_xmin(pg_current_snapshot())
        order by ${changes.xid} desc, ${changes.seq} desc limit 1) as last,
      (select coalesce(json_agg(json_build_object('xid', one.xid::text, 'seq', one.seq, 'kind', one.kind,
          'id', one.object_id, 'list', one.list, 'sites', one.sites, 'action', one.action, 'at', one.at,
          'old', one.at < now() - interval '1 hour') order by one.xid, one.seq), '[]')
        from (select * from ${changes}
          where (${changes.xid}, ${changes.seq}) > (${String(xid)}::xid8, ${seq}::bigint)
            and ${changes.xid} < pg_snapshot_xmin(pg_current_snapshot())
          order by ${changes.xid}, ${changes.seq} limit ${limit}::int) as one) as items
    from ${changeMarks}`);
};

/** @throws Error if the result is not that of `changesAfter` */
export function changePageIn(result: unknown): ChangePage {
  const [row] = rowsOf<Row>(result);
  if (!row) throw new Error('the row of change_marks is missing');
  return pageOf(row);
}

const pageOf = ({ epoch, removed_to, horizon, last, items }: Row): ChangePage => ({
  epoch,
  removedTo: BigInt(removed_to),
  horizon: BigInt(horizon),
  last: last ? { xid: BigInt(last.xid), seq: last.seq } : undefined,
  items: items.map(({ xid, seq, kind, id, list, sites, action, at, old }) => ({
    xid: BigInt(xid),
    seq,
    kind,
    id: id === '' ? null : id,
    list: list === '' ? undefined : list,
    sites,
    action,
    at: new Date(at),
    isOld: old,
  })),
});

const rowsOf = <R>(result: unknown): R[] => (result as { rows: R[] }).rows;

/** Changes are kept for this time in hours, and at most this many. */
const keptHours = 24;
const mostKept = 200_000;

/** Removes the changes beyond the retention, and notes up to which transaction; one statement. */
export async function trimChanges(db: Db, most = mostKept): Promise<void> {
  const isOver = sql`${changes.xid} < pg_snapshot_xmin(pg_current_snapshot())`;
  await db.execute(sql`
    with cut as (
      select greatest(
        (select ${changes.xid} from ${changes}
          where ${isOver} and ${changes.at} < now() - make_interval(hours => ${keptHours}::int)
          order by ${changes.xid} desc limit 1),
        (select ${changes.xid} from ${changes} where ${isOver} order by ${changes.xid} desc, ${changes.seq} desc offset ${most}::int limit 1)
      ) as xid),
    noted as (
      update ${changeMarks} set removed_to = greatest(${changeMarks.removed_to}, cut.xid)
      from cut where cut.xid is not null)
    delete from ${changes} using cut where ${changes.xid} <= cut.xid`);
}
