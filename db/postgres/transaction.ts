import { sql } from 'drizzle-orm';
import type { PgQueryResultHKT, PgTransaction, PgTransactionConfig } from 'drizzle-orm/pg-core';
import { isUnavailable, pgFault } from '../errors.ts';

/** Statements are built from tables, not by drizzle's relational queries. */
export type NoSchema = Record<string, never>;
type Transaction = PgTransaction<PgQueryResultHKT, NoSchema, NoSchema>;

type Run<T> = {
  /** The statement that begins the transaction. */
  begin: string;
  work: (transaction: Transaction) => Promise<T>;
  config: PgTransactionConfig | undefined;
  /** Called when it is not known that the transaction has ended. */
  onUncertain: () => void;
};

/**
 * Runs the work between `begin` and `commit`. Drizzle's own transactions wait for the rollback behind a statement that has
 * timed out; here a connection without an answer is not asked again, and the server rolls back when it ends.
 */
export async function runTransaction<T>(
  transaction: Transaction,
  { begin, work, config, onUncertain }: Run<T>,
): Promise<T> {
  try {
    await transaction.execute(sql.raw(begin));
    if (config) await transaction.setTransaction(config);
    const result = await work(transaction);
    await transaction.execute(sql`commit`);
    return result;
  } catch (error) {
    const isUnanswered = pgFault(error) === undefined && isUnavailable(error);
    if (isUnanswered) onUncertain();
    else await transaction.execute(sql`rollback`).catch(onUncertain);
    throw error;
  }
}
