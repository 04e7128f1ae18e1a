import { sql } from 'drizzle-orm';
import type { Db } from '../client.ts';
import { prebuilt } from '../prebuilt.ts';
import { installation } from '../schema/settings/installation.ts';
import { type LogPosition, parsePosition } from './position.ts';
import type { ReadSource, Verdict } from './reads-apart.ts';

/** Whether reads go to the replica, or why they do not. */
export type ReplicaState = 'used' | 'unreachable' | 'behind' | 'not a standby' | 'of another installation';

/** What a read must see. */
export type Need = {
  /** A position that the replica must have replayed. */
  position?: LogPosition | undefined;
  /** Sent to the primary. If it returns a row, the read must see everything that was written before it. */
  unless?: ((primary: Db) => Promise<unknown[]>) | undefined;
};

const pollEveryMs = 20;
/** Milliseconds without reads after a state in which the replica cannot be used. */
const pauseMs = 5_000;

/** A standby of the database, for reads that may see older data. */
export class Replica {
  readonly db: Db;
  readonly #onState: (state: ReplicaState, error?: unknown) => void;
  readonly #oldestMs: number;
  readonly #patienceMs: number;
  #state: ReplicaState = 'used';
  #pausedUntil = 0;
  /** Since when the replica has shown old data without a break; infinite if it does not. */
  #oldSince = Number.POSITIVE_INFINITY;

  /**
   * @param onState called when the state changes; in the beginning it is `used`
   * @param oldestMs age in milliseconds of data that are not shown
   * @param patienceMs milliseconds that a read waits until the replica has replayed a position
   */
  constructor(
    db: Db,
    onState: (state: ReplicaState, error?: unknown) => void = () => undefined,
    oldestMs = 30_000,
    patienceMs = 200,
  ) {
    this.db = db;
    this.#onState = onState;
    this.#oldestMs = oldestMs;
    this.#patienceMs = patienceMs;
  }

  /** @returns undefined while the replica cannot be used */
  sourceFor({ position, unless }: Need): ReadSource | undefined {
    if (this.#isPaused()) return undefined;
    return {
      db: this.db,
      onPrimary: (h) => [stateOf(h, {}), ...(unless ? [unless(h)] : [])],
      onReplica: (h) => [stateOf(h, {})],
      judge: async ([primaryRows, forbidding = []], answer) => {
        if (forbidding.length > 0) return 'primary';
        const [replicaRows] = await answer;
        const replica = firstState(replicaRows);
        if (!this.#accepts(firstState(primaryRows), replica)) return 'primary';
        if (position === undefined || replica.position >= position) return 'valid';
        return this.#repeatAt(position);
      },
      onFailure: (error) => this.#pause('unreachable', error),
    };
  }

  /**
   * Waits until the replica has everything that was written before the call.
   * @returns the replica, or the primary if that takes longer than `withinMs`
   */
  async orPrimary(primary: Db, withinMs: number): Promise<Db> {
    if (this.#isPaused()) return primary;
    const written = firstState(await stateOf(primary, {}));
    try {
      const replica = firstState(await stateOf(this.db, {}));
      if (!this.#accepts(written, replica)) return primary;
      return (await this.#hasReplayed(written.position, withinMs)) ? this.db : primary;
    } catch (error) {
      this.#pause('unreachable', error);
      return primary;
    }
  }

  #isPaused = (): boolean => performance.now() < this.#pausedUntil;

  #accepts(primary: ServerState, replica: ServerState): boolean {
    const refusal = refusalOf(primary, replica);
    const isOld = replica.position < primary.position && replica.ageMs > this.#oldestMs;
    this.#oldSince = isOld ? Math.min(this.#oldSince, performance.now()) : Number.POSITIVE_INFINITY;
    if (refusal) this.#pause(refusal);
    else if (!isOld) this.#note('used');
    // After a quiet time the last transaction is old even if the replica is behind by milliseconds.
    else if (performance.now() - this.#oldSince > this.#oldestMs) this.#pause('behind');
    return refusal === undefined && !isOld;
  }

  async #repeatAt(position: LogPosition): Promise<Verdict> {
    return (await this.#hasReplayed(position, this.#patienceMs)) ? 'repeat' : 'primary';
  }

  async #hasReplayed(position: LogPosition, withinMs: number): Promise<boolean> {
    const deadline = performance.now() + withinMs;
    for (;;) {
      const replica = firstState(await stateOf(this.db, {}));
      if (replica.position >= position) return true;
      if (performance.now() + pollEveryMs > deadline) return false;
      await new Promise((resolve) => setTimeout(resolve, pollEveryMs));
    }
  }

  #pause(state: ReplicaState, error?: unknown): undefined {
    this.#pausedUntil = performance.now() + pauseMs;
    this.#note(state, error);
    return undefined;
  }

  #note(state: ReplicaState, error?: unknown): void {
    if (state !== this.#state) this.#onState(state, error);
    this.#state = state;
  }
}

type ServerState = { position: LogPosition; isStandby: boolean; ageMs: number; check: string | null };

/** The age is that of the last transaction that a standby has replayed, which can be older than its data. */
const stateOf = prebuilt((db) =>
  db
    .select({
      position: sql<string>`case when pg_is_in_recovery() then pg_last_wal_replay_lsn()
        else pg_current_wal_insert_lsn() end::text`,
      isStandby: sql<boolean>`pg_is_in_recovery()`,
      ageMs: sql<
        number | null
      >`(extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp()) * 1000)::float8`,
      check: installation.secret_key_check,
    })
    .from(installation),
);

function firstState(rows: unknown[] | undefined): ServerState {
  const [row] = (rows ?? []) as Awaited<ReturnType<typeof stateOf>>;
  if (!row) throw new Error('the state of a server is unknown');
  return { ...row, position: parsePosition(row.position), ageMs: row.ageMs ?? Number.POSITIVE_INFINITY };
}

/** A server that was promoted has its own future. */
function refusalOf(primary: ServerState, replica: ServerState): ReplicaState | undefined {
  if (!replica.isStandby) return 'not a standby';
  return replica.check === primary.check ? undefined : 'of another installation';
}
