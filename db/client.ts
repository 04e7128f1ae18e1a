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

const batchRunners = new WeakMap<Db, RunBatch>();

/** Sets how the driver of a handle sends a batch in one round trip. */
export const setBatchRunner = (db: Db, run: RunBatch): void => void batchRunners.set(db, run);

/**
 * Runs the statements of `build` as one atomic unit: in one round trip, except in an interactive transaction of Neon. A
 * statement cannot use the result of an earlier one; use `must` to enforce a condition.
 * @returns one result per statement, in order
 */
export async function atomically(db: Db, build: BuildBatch): Promise<unknown[]> {
  const run = batchRunners.get(db) ?? ((toRun: BuildBatch) => oneByOne(db, toRun));
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

const readRunners = new WeakMap<Db, RunBatch>();

/** Sets how reads of a handle are sent in one round trip. */
export const setReadRunner = (db: Db, run: RunBatch): void => void readRunners.set(db, run);

/**
 * Runs reads in one round trip, in their order.
 * @returns one result per read
 */
export const readTogether = (db: Db, build: BuildBatch): Promise<unknown[]> =>
  readRunners.get(db)?.(build) ?? atomically(db, build);

/** Runs an interactive transaction, for work that decides between statements. Not for frequent requests. */
export async function withTransaction<T>(
  db: Db,
  work: (transaction: Db) => Promise<T>,
  config?: PgTransactionConfig,
): Promise<T> {
  // Every driver provides `transaction`; for Neon over HTTP, `connectNeon` adds it.
  return db.transaction(work, config).catch(afterRollback);
}

/** An interactive transaction with statements around its work. */
export type Frame<T> = {
  /** Conditions and locks, which are sent with the first statement of the work where the driver can do so. */
  opening: BuildBatch;
  work: (transaction: Db) => Promise<T>;
  /** The last statements, which are sent with the commit where the driver can do so. */
  closing: (handle: Db, result: T) => readonly Statement[];
};
type RunFrame = <T>(frame: Frame<T>) => Promise<T>;

const frameRunners = new WeakMap<Db, RunFrame>();

/** Sets how the driver of a handle runs a frame in few round trips. */
export const setFrameRunner = (db: Db, run: RunFrame): void => void frameRunners.set(db, run);

/**
 * Runs the work in an interactive transaction between its opening and its closing statements. If the opening fails,
 * nothing of the transaction takes effect, whatever its work has done with the error.
 * @throws OpeningError if the opening failed; its cause is the error of the database
 */
export async function withFrame<T>(db: Db, frame: Frame<T>): Promise<T> {
  const run = frameRunners.get(db) ?? ((toRun: Frame<T>) => framed(db, toRun));
  return run(frame).catch(afterRollback);
}

const framed = <T>(db: Db, { opening, work, closing }: Frame<T>): Promise<T> =>
  db.transaction(async (transaction) => {
    for (const statement of opening(transaction)) await opened(statement);
    const result = await work(transaction);
    for (const statement of closing(transaction, result)) await statement;
    return result;
  });

async function opened(statement: Statement): Promise<void> {
  try {
    await statement;
  } catch (cause) {
    throw new OpeningError('the transaction could not be opened', { cause });
  }
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
