import { sql } from 'drizzle-orm';
import type { PgQueryResultHKT, PgTransaction, PgTransactionConfig } from 'drizzle-orm/pg-core';
import { isUnavailable, pgFault } from '../errors.ts';

/** No schema: relational queries of Drizzle are not used. */
export type NoSchema = Record<string, never>;
type Transaction = PgTransaction<PgQueryResultHKT, NoSchema, NoSchema>;

type TransactionRun<T> = {
  /** The statement that begins the transaction. */
  begin: string;
  work: (transaction: Transaction) => Promise<T>;
  config: PgTransactionConfig | undefined;
  /** Called if the end of the transaction is not confirmed. */
  onUncertain: () => void;
};

/**
 * Runs the work between `begin` and `commit`. Drizzle's own transactions queue the rollback behind a statement that
 * has timed out. Here an unresponsive connection gets no further statement, and the server rolls back when it ends.
 */
export async function runTransaction<T>(
  transaction: Transaction,
  { begin, work, config, onUncertain }: TransactionRun<T>,
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
