import type { BatchItem } from 'drizzle-orm/batch';
import type { PgDatabase, PgQueryResultHKT, PgTransactionConfig } from 'drizzle-orm/pg-core';
import { forgetNotice } from './postgres/work-notice.ts';

/** A database handle of any driver, or a transaction. */
export type Db = PgDatabase<PgQueryResultHKT>;
export type Statement = BatchItem<'pg'>;

export type Connection = {
  db: Db;
  /** Closes idle connections. */
  close(): Promise<void>;
};

/**
 * Options of all drivers (`db/pg.ts`, `db/neon.ts`). Only the code that selects a driver imports it, which keeps
 * bundles small.
 */
export type ConnectOptions = {
  url: string;
  /** Name of the process in `pg_stat_activity`. */
  applicationName?: string;
  /** Statement timeout in milliseconds on the server; the client waits slightly longer. Default 10,000. */
  statementTimeoutMs?: number;
  /** Lock timeout in milliseconds. Default 3,000. */
  lockTimeoutMs?: number;
  /** Timeout of idle transactions in milliseconds. Default 15,000. */
  idleInTransactionMs?: number;
  /**
   * Called for each time that a request waits for the database: for a statement, a batch, and each statement of an
   * interactive transaction. Neon's driver counts an interactive transaction once.
   */
  onRoundTrip?: () => void;
};

/** Builds the statements of a batch on the handle of the batch. */
export type BuildBatch = (handle: Db) => readonly Statement[];
type RunBatch = (build: BuildBatch) => Promise<unknown[]>;

/** How the driver of a handle saves round trips. A batch without a runner is an interactive transaction. */
export type Runners = {
  /** Sends a batch in one round trip. */
  batch?: RunBatch;
  /** Sends reads in one round trip; default: as a batch. */
  reads?: RunBatch;
  /** Runs a frame in fewer round trips than statements. */
  frame?: <T>(frame: Frame<T>) => Promise<T>;
  /** Creates a handle that notes its commits. */
  noting?: (note: NoteCommit) => Db;
  /** Creates a handle whose statements get the next free connection. */
  urgent?: () => Db;
};

/** Receives the position of the log after a commit, as `pg_lsn` in text form. */
export type NoteCommit = (position: string) => void;

const runners = new WeakMap<Db, Runners>();

export const setRunners = (db: Db, own: Runners): void => void runners.set(db, own);

/**
 * Runs the statements of `build` as one atomic unit: in one round trip, except in an interactive transaction of Neon. A
 * statement cannot use the result of an earlier one; use `must` to enforce a condition.
 * @returns one result per statement, in order
 */
export async function atomically(db: Db, build: BuildBatch): Promise<unknown[]> {
  const run = runners.get(db)?.batch ?? ((toRun: BuildBatch) => oneByOne(db, toRun));
  return run(build).catch(afterRollback);
}

const oneByOne: (db: Db, build: BuildBatch) => Promise<unknown[]> = (db, build) =>
  db.transaction(async (transaction) => {
    const results: unknown[] = [];
    for (const statement of build(transaction)) {
      assertOwned(statement, transaction);
      results.push(await statement);
    }
    return results;
  });

function afterRollback(error: unknown): never {
  forgetNotice();
  throw error;
}

/**
 * Runs reads in one round trip, in their order.
 * @returns one result per read
 */
export const readTogether = (db: Db, build: BuildBatch): Promise<unknown[]> =>
  runners.get(db)?.reads?.(build) ?? atomically(db, build);

/** Runs an interactive transaction, for work that decides between statements. Not for frequent requests. */
export async function withTransaction<T>(
  db: Db,
  work: (transaction: Db) => Promise<T>,
  config?: PgTransactionConfig,
): Promise<T> {
  // Every driver provides `transaction`; for Neon over HTTP, `connectNeon` adds it.
  return db.transaction(work, config).catch(afterRollback);
}

/**
 * Creates a handle on the same connections that notes each of its commits, without a further round trip.
 * @returns undefined if the driver cannot do so
 */
export const notingCommits = (db: Db, note: NoteCommit): Db | undefined => runners.get(db)?.noting?.(note);

/**
 * A handle on the same connections whose statements get the next free one, before all that waits: for small writes that must not be
 * lost under overload. The same handle for a driver without a pool, and in a transaction.
 */
export const servedFirst = (db: Db): Db => runners.get(db)?.urgent?.() ?? db;

/** An interactive transaction with statements around its work. */
export type Frame<T> = {
  /** Conditions and locks, which are sent with the first statement of the work where the driver can do so. */
  opening: BuildBatch;
  work: (transaction: Db) => Promise<T>;
  /** The last statements, which are sent with the commit where the driver can do so. */
  closing: Closing<T>;
  /** For a driver that runs the frame without an interactive transaction (`db/leased-frame.ts`). */
  lease: Lease<T>;
};

type Closing<T> = (handle: Db, result: T) => readonly Statement[];

/** A row that replaces the lock of an open transaction: the opening of another frame finds it and fails. */
export type Lease<T> = {
  /** Takes the lease. Sent after the opening, in the transaction of the first write. */
  take: BuildBatch;
  /** True for an error of the opening or of `take`. The driver cannot see which statement of a transaction failed. */
  isRefusal: (error: unknown) => boolean;
  /** Sent after the work instead of `closing`, if the lease was taken. */
  closing: Closing<T>;
  /** Sent if the work has failed after the lease was taken. */
  abandon: BuildBatch;
  /** Called if the last statements failed. The work has taken effect, and the lease stays until it expires. */
  onExpiry: (error: unknown) => void;
};

/**
 * Runs the work between its opening and its closing statements. If the opening fails, nothing of the frame takes
 * effect, whatever its work has done with the error. The frame is one transaction, except with Neon over HTTP.
 * @throws OpeningError if the opening failed; its cause is the error of the database
 */
export async function withFrame<T>(db: Db, frame: Frame<T>): Promise<T> {
  const run = runners.get(db)?.frame;
  if (!run) throw new Error('a transaction cannot contain a frame');
  return run(frame).catch(afterRollback);
}

/** The opening of a transaction failed. */
export class OpeningError extends Error {}

/**
 * Runs the work in an interactive transaction that is always rolled back.
 * @returns the result of the work
 */
export async function dryRun<T>(db: Db, work: (transaction: Db) => Promise<T>): Promise<T> {
  const rolledBack: { result: T }[] = [];
  try {
    await withTransaction(db, async (transaction) => {
      rolledBack.push({ result: await work(transaction) });
      throw new Error('rollback of a dry run');
    });
  } catch (error) {
    const [done] = rolledBack;
    if (!done) throw error;
    return done.result;
  }
  throw new Error('a transaction was committed although its work failed');
}

/** A statement built on the outer handle would silently run outside of the transaction. */
export function assertOwned(statement: unknown, transaction: unknown): void {
  const own = sessionOf(transaction);
  const used = sessionOf(statement);
  if (used !== undefined && used !== own)
    throw new Error('a statement was not built on the handle of its batch');
}

function sessionOf(owner: unknown): unknown {
  if (typeof owner !== 'object' || owner === null) return undefined;
  if ('session' in owner) return owner.session;
  if ('_' in owner && typeof owner._ === 'object' && owner._ !== null && 'session' in owner._)
    return owner._.session;
  return undefined;
}
