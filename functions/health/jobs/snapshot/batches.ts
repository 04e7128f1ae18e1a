import {
  type SealedKey,
  upsertServiceKeys,
} from '../../../../db/repositories/routing/dispatcher-sessions.ts';
import type { SnapshotFarm } from '../../../../db/repositories/snapshot/farms.ts';
import {
  type ClaimedPart,
  claimParts,
  finishUnchangedParts,
  releaseParts,
  type UnchangedPart,
} from '../../../../db/repositories/snapshot/sync.ts';
import type { JobPrincipal } from '../../../../shared/context/principal.ts';
import type { Clock } from '../../../../shared/kernel/clock.ts';
import type { Semaphore } from '../../../../shared/kernel/concurrency/semaphore.ts';
import { parametersFrom } from '../../../../shared/kernel/system-parameters.ts';
import { listKinds } from '../../../../shared/remotes/dispatcher/rows.ts';
import type { CallDeps } from '../../../../shared/sites/calls/dispatcher-keys.ts';
import { type SyncCtx, syncPart } from '../../../../shared/snapshot/sync.ts';
import { jobContext } from '../context.ts';

export type SyncDeps = CallDeps & { clock: Clock };

export type Round = {
  /** Farms that are read at the same time. */
  concurrency: number;
  signal: AbortSignal;
  /**
   * Minimum time since the last attempt to read the list, in seconds. Default: half of `aggregator.sync_interval_s`.
   */
  minAgeS?: number;
  /**
   * Continues with the other lists of a farm after a failure. If not set, they are left to the round of failing
   * farms.
   */
  continuesAfterFailure?: boolean;
};

/** Bounds of the number of farms that are claimed together. */
const fewest = 16;
const most = 500;
/**
 * Time in milliseconds after the claim in which reads begin. Claims that were not used by then are released, well
 * before their lease ends.
 */
const longestMs = 20_000;

const principal: JobPrincipal = { kind: 'job', name: 'snapshot' };
/** The concurrency of a round already limits how many calls wait at the same time. */
const unlimited: Semaphore = async (work) => work();

/**
 * Reads the lists of many farms. The parts of a batch of farms are claimed in one statement, and those that have not
 * changed are recorded in one statement. The number of farms of a batch follows the speed of the nodes.
 */
export class SyncBatches {
  readonly #deps: SyncDeps;
  #size = fewest;

  constructor(deps: SyncDeps) {
    this.#deps = deps;
  }

  async sync(farms: readonly SnapshotFarm[], round: Round): Promise<void> {
    let waiting = farms;
    while (waiting.length > 0 && !round.signal.aborted) {
      const batch = new SyncBatch(this.#deps, round);
      const left = await batch.run(waiting.slice(0, this.#size));
      waiting = [...left, ...waiting.slice(this.#size)];
      this.#size = left.length > 0 ? Math.max(fewest, this.#size / 2) : Math.min(most, this.#size * 2);
    }
  }
}

class SyncBatch {
  readonly #deps: SyncDeps;
  readonly #round: Round;
  readonly #endsAt = performance.now() + longestMs;
  /** Claimed parts whose read has not begun. */
  readonly #unread = new Set<ClaimedPart>();
  readonly #unchanged: UnchangedPart[] = [];
  /** The last key of each node. */
  readonly #keys = new Map<string, SealedKey>();
  readonly #background = new Set<Promise<unknown>>();

  constructor(deps: SyncDeps, round: Round) {
    this.#deps = { ...deps, keepServiceKey: (key) => void this.#keys.set(key.node.id, key) };
    this.#round = round;
  }

  /** @returns the farms that were not read in time */
  async run(farms: readonly SnapshotFarm[]): Promise<SnapshotFarm[]> {
    const { db } = this.#deps;
    const claimed = await claimParts(
      db,
      farms.map(({ id }) => id),
      listKinds,
      this.#minAgeS(farms),
    );
    for (const part of claimed) this.#unread.add(part);
    // In this order what one list gives for the next is used.
    claimed.sort((a, b) => listKinds.indexOf(a.claim.kind) - listKinds.indexOf(b.claim.kind));
    const byFarm = Map.groupBy(claimed, ({ claim }) => claim.farmId);
    const left: SnapshotFarm[] = [];
    const waiting = farms.values();
    const runWorker = async (): Promise<void> => {
      for (const farm of waiting)
        if (!(await this.#syncFarm(farm, byFarm.get(farm.id) ?? []))) left.push(farm);
    };
    await Promise.all(Array.from({ length: this.#round.concurrency }, runWorker));
    await Promise.all(this.#background);
    await finishUnchangedParts(db, this.#unchanged);
    await upsertServiceKeys(db, [...this.#keys.values()]);
    await releaseParts(
      db,
      [...this.#unread].map(({ claim }) => claim),
    );
    return left;
  }

  #minAgeS(farms: readonly SnapshotFarm[]): number {
    const parameters = parametersFrom(farms[0]?.overrides ?? null);
    return this.#round.minAgeS ?? parameters['aggregator.sync_interval_s'] / 2;
  }

  /** @returns false if parts were left because the time is over */
  async #syncFarm(farm: SnapshotFarm, parts: readonly ClaimedPart[]): Promise<boolean> {
    const { signal, continuesAfterFailure = false } = this.#round;
    for (const part of parts) {
      if (signal.aborted) return true;
      if (performance.now() > this.#endsAt) return false;
      this.#unread.delete(part);
      const isRead = await this.#syncPart(farm, part);
      if (!isRead && !continuesAfterFailure) return true;
    }
    return true;
  }

  /** @returns false if the list could not be read, for any reason */
  async #syncPart(farm: SnapshotFarm, part: ClaimedPart): Promise<boolean> {
    const deps = this.#deps;
    const parameters = parametersFrom(farm.overrides);
    const parts = { deps, principal, parameters, upstream: unlimited, now: deps.clock() };
    const ctx: SyncCtx = {
      ...jobContext(parts, (work) => void this.#background.add(work)),
      signal: this.#round.signal,
      noteUnchanged: (unchanged) => void this.#unchanged.push(unchanged),
    };
    try {
      return (await syncPart(ctx, farm, part)) !== 'failed';
    } catch (error) {
      const { farmId: farm_id, kind } = part.claim;
      deps.log.error('a part of the snapshot could not be read', { farm_id, kind, error });
      return false;
    }
  }
}
