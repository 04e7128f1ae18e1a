import { sql } from 'drizzle-orm';
import { NodePgSession, NodePgTransaction } from 'drizzle-orm/node-postgres';
import { PgDialect } from 'drizzle-orm/pg-core';
import type { Pool, PoolClient } from 'pg';
import type { Db } from './client.ts';
import { isUnavailable, pgFault } from './errors.ts';

/**
 * Interactive transactions on a connection of the pool. Drizzle's own keep the connection for ever when they cannot
 * begin, and when a statement has timed out they wait as long again for its rollback, behind that statement.
 */
export const transactionsOn =
  (pool: Pool): Db['transaction'] =>
  async (work, config) => {
    const client = await pool.connect();
    const transaction = onClient(client);
    try {
      await transaction.execute(sql`begin`);
      if (config) await transaction.setTransaction(config);
      const result = await work(transaction);
      await transaction.execute(sql`commit`);
      client.release();
      return result;
    } catch (error) {
      client.release(!(await isTakenBack(transaction, error)));
      throw error;
    }
  };

type Transaction = NodePgTransaction<Record<string, never>, Record<string, never>>;

function onClient(client: PoolClient): Transaction {
  const dialect = new PgDialect();
  return new NodePgTransaction(dialect, new NodePgSession(client, dialect, undefined), undefined);
}

/** A connection that did not answer is no longer asked: when it ends, the server takes back what it had begun. */
async function isTakenBack(transaction: Transaction, error: unknown): Promise<boolean> {
  const isUnanswered = pgFault(error) === undefined && isUnavailable(error);
  if (isUnanswered) return false;
  return transaction.execute(sql`rollback`).then(
    () => true,
    () => false,
  );
}
