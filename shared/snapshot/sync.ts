import type { FarmNode } from '../../db/repositories/sites/farm-nodes.ts';
import type { SnapshotFarm } from '../../db/repositories/snapshot/farms.ts';
import type { IgnoredReport } from '../../db/repositories/snapshot/ignored-entries.ts';
import type { Claim } from '../../db/repositories/snapshot/merge.ts';
import {
  type ClaimedPart,
  claimParts,
  failSync,
  finishSync,
  finishUnchanged,
  type PartState,
  stageRows,
  type UnchangedPart,
  unstage,
} from '../../db/repositories/snapshot/sync.ts';
import { AppError } from '../kernel/errors.ts';
import type { Node } from '../remotes/dispatcher/port.ts';
import type { CheckedRow, Ignored, ListKind, ListRow } from '../remotes/dispatcher/rows.ts';
import { noteOutcome } from '../sites/calls/circuit.ts';
import { aggregator, type CallCtx, nodeOf } from '../sites/calls/dispatcher-keys.ts';
import { callNode } from '../sites/calls/farm-calls.ts';
import { orderNodes } from '../sites/calls/order.ts';
import { ignoredRecord, tallyOf } from './ignored-entries.ts';
import { type ReadOutcome, readPart, UselessRows } from './read.ts';
import { valuesOf } from './rows.ts';

export type SyncCtx = CallCtx & {
  /** Aborts the read, but not the write of data that was read. */
  signal?: AbortSignal | undefined;
  /** Takes over the write for a part that has not changed. By default it is written at once. */
  noteUnchanged?: (part: UnchangedPart) => void;
};

/**
 * `skipped`: another synchronization holds the lease of the part, or the part was tried recently. `lost`: another
 * synchronization took over the lease, and nothing was changed.
 */
export type SyncOutcome = 'synced' | 'unchanged' | 'skipped' | 'lost' | 'failed';

/** At most two nodes are tried. */
const tries = 2;

/**
 * Reads one part of a farm from a healthy node into the snapshot. A node failure does not throw: it is stored with the
 * part, and the part keeps its rows.
 * @param minAgeS a part that was tried within this many seconds is skipped
 * @throws errors of the database only
 */
export async function syncFarm(
  ctx: SyncCtx,
  farm: SnapshotFarm,
  kind: ListKind,
  minAgeS = 0,
): Promise<SyncOutcome> {
  const [claimed] = await ctx.upstream(() => claimParts(ctx.deps.db, [farm.id], [kind], minAgeS));
  return claimed ? syncPart(ctx, farm, claimed) : 'skipped';
}

/** The same for a part that the caller has claimed. */
export async function syncPart(ctx: SyncCtx, farm: SnapshotFarm, claimed: ClaimedPart): Promise<SyncOutcome> {
  const { kind } = claimed.claim;
  const sync = { ctx, farm, kind, ...claimed, startedAt: performance.now() };
  try {
    const { node, read } = await readFromSome(sync);
    return await finish(sync, node, read);
  } catch (error) {
    if (error instanceof SyncLost) return 'lost';
    if (error instanceof AppError && error.members.reason === 'not_json')
      ctx.deps.log.warn('a list was not JSON', { farm_id: farm.id, kind, error });
    const tookMs = Math.round(performance.now() - sync.startedAt);
    const useless = error instanceof AppError && error.cause instanceof UselessRows ? error.cause : undefined;
    const failure = {
      error: wordsOf(error),
      tookMs,
      ...(useless && { ignored: reportOf(sync, useless.dropped) }),
    };
    const failed = await ctx.upstream(() => failSync(ctx.deps.db, sync.claim, failure));
    if (!(error instanceof AppError)) throw error;
    return failed ? 'failed' : 'lost';
  }
}

type Sync<K extends ListKind> = {
  ctx: SyncCtx;
  farm: SnapshotFarm;
  kind: K;
  claim: Claim;
  state: PartState;
  startedAt: number;
};

/** Another synchronization holds the lease of the part, so this read stops. */
class SyncLost extends Error {}

async function readFromSome<K extends ListKind>(
  sync: Sync<K>,
): Promise<{ node: FarmNode; read: ReadOutcome }> {
  const { ctx, claim } = sync;
  let last = new AppError('upstream_unavailable', 'The farm has no dispatcher node that can be called');
  for (const [n, node] of nodesInOrder(sync).entries()) {
    try {
      if (n > 0) await ctx.upstream(async () => unstage(ctx.deps.db, claim));
      return { node, read: await readAndNote(sync, node) };
    } catch (error) {
      if (!(error instanceof AppError && error.code.startsWith('upstream_'))) throw error;
      last = error;
    }
    if (ctx.signal?.aborted) break;
  }
  throw last;
}

/** The node of the last read comes first if it is healthy. Only that node can report the changes since that read. */
function nodesInOrder({ farm, state }: Sync<ListKind>): FarmNode[] {
  const ordered = orderNodes(farm.nodes, farm.balancing, 0);
  const last = ordered.find(({ id, status }) => id === state.dispatcher_id && status === 'pass');
  return (last ? [last, ...ordered.filter((node) => node !== last)] : ordered).slice(0, tries);
}

/**
 * Reads from the node and records the outcome for its circuit. A response above the local size limit, or an aborted
 * read, is not a failure of the node.
 */
async function readAndNote<K extends ListKind>(sync: Sync<K>, stored: FarmNode): Promise<ReadOutcome> {
  const { ctx } = sync;
  const { parameters } = ctx;
  const node = nodeOf(stored, parameters['aggregator.call_timeout_ms']);
  try {
    const read = await readFrom(sync, stored, node);
    noteOutcome(ctx, node, stored, parameters);
    return read;
  } catch (error) {
    const isTooLarge = error instanceof AppError && error.members.reason === 'too_large';
    if (!isTooLarge && !ctx.signal?.aborted) noteOutcome(ctx, node, stored, parameters, error);
    throw error;
  }
}

function readFrom<K extends ListKind>(sync: Sync<K>, stored: FarmNode, node: Node): Promise<ReadOutcome> {
  const { ctx, kind, claim, state } = sync;
  const { db, dispatchers } = ctx.deps;
  const keep = async (rows: CheckedRow<ListRow<K>>[]): Promise<void> => {
    const values = new Map(
      rows.map((checked) => valuesOf(kind, checked, node.id)).map((value) => [value.uuid, value]),
    );
    if (!(await ctx.upstream(() => stageRows(db, claim, [...values.values()])))) throw new SyncLost();
  };
  return readPart<K>(
    node,
    state,
    (query) =>
      ctx.upstream(() =>
        callNode(
          ctx,
          { node, principal: aggregator, keys: stored.keys },
          (call) => dispatchers.list(call, kind, query),
          ctx.signal,
        ),
      ),
    keep,
  );
}

async function finish<K extends ListKind>(
  sync: Sync<K>,
  node: FarmNode,
  read: ReadOutcome,
): Promise<SyncOutcome> {
  const { ctx, claim } = sync;
  const { db } = ctx.deps;
  const tookMs = Math.round(performance.now() - sync.startedAt);
  if (!read.changed && ctx.noteUnchanged) {
    ctx.noteUnchanged({ ...claim, tookMs, asOf: read.asOf });
    return 'unchanged';
  }
  if (!read.changed) {
    const isFinished = await ctx.upstream(() => finishUnchanged(db, claim, { tookMs, asOf: read.asOf }));
    return isFinished ? 'unchanged' : 'lost';
  }
  const { dropped, changed: _, ...facts } = read;
  const report = reportOf(sync, dropped);
  // An incremental read does not cover the rows that an earlier read dropped.
  const ignored = facts.removed && dropped.length === 0 ? { ...report, dropped: null } : report;
  const merged = { ...facts, dispatcherId: node.id, tookMs, ignored };
  return (await ctx.upstream(() => finishSync(db, claim, merged))) ? 'synced' : 'lost';
}

const reportOf = ({ ctx, farm, kind }: Sync<ListKind>, dropped: readonly Ignored[]): IgnoredReport => ({
  dropped: tallyOf(dropped),
  record: ignoredRecord(farm, kind, ctx.now),
});

/** The problem code, with the reason if there is one. It never contains text of a node. */
function wordsOf(error: unknown): string {
  const { code, members } = error instanceof AppError ? error : new AppError('internal');
  return typeof members.reason === 'string' ? `${code}:${members.reason}` : code;
}
