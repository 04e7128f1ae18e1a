import { drizzle, NodePgSession, NodePgTransaction } from 'drizzle-orm/node-postgres';
import { PgDialect } from 'drizzle-orm/pg-core';
import type pg from 'pg';
import { type Connection, type ConnectOptions, type Db, setBatchRunner } from './client.ts';
import { pgFault } from './errors.ts';
import { setFlightDriver } from './flight.ts';
import { runBatch } from './postgres/batch.ts';
import { type CheckedOutConnection, type Message, messageOf, type Query } from './postgres/checkout.ts';
import { createPool, type Pool, type SessionReport } from './postgres/pool.ts';
import type { PrepareReport } from './postgres/prepared.ts';
import { type NoSchema, runTransaction } from './postgres/transaction.ts';

export type { SessionReport } from './postgres/pool.ts';
export type { PrepareReport } from './postgres/prepared.ts';

export type PgOptions = ConnectOptions & {
  /** Maximum number of connections to the server, including those with abandoned statements. */
  maxConnections?: number;
  /** Keeps idle connections open. */
  keepIdle?: boolean;
  /** Called when an idle connection ends with an error. */
  onError?: (error: Error) => void;
  /** Called when the way in which timeouts are enforced is known, and when it changes. */
  onSession?: (report: SessionReport) => void;
  /** Sends frequent statements as prepared statements; default: true. */
  prepares?: boolean;
  /** Called when prepared statements are refused by a pooler, or must be prepared again. */
  onPrepare?: (report: PrepareReport) => void;
};

export type PgConnection = Connection & Pick<Pool, 'query' | 'use'>;

/** Connects through a `pg` pool. Nothing is sent before the first statement. */
export function connectPg(options: PgOptions): PgConnection {
  const { url, maxConnections = 10, keepIdle = false, prepares = true } = options;
  const { onRoundTrip, onError, onSession, onPrepare } = options;
  const { applicationName = 'aggregator', statementTimeoutMs = 10_000 } = options;
  const { lockTimeoutMs = 3_000, idleInTransactionMs = 15_000 } = options;
  const pool = createPool({
    url,
    applicationName,
    limits: { statementMs: statementTimeoutMs, lockMs: lockTimeoutMs, idleInTransactionMs },
    maxConnections,
    idleMs: keepIdle ? 0 : 30_000,
    onRoundTrip,
    onError,
    onSession,
    prepares,
    onPrepare,
  });
  const { query, use } = pool;
  const db: Db = drizzle({ client: asClient(query) });
  db.transaction = transactionsBy(use);
  setBatchRunner(db, (build) =>
    runBatch(build, transactionOn, (messages) => use(({ transact }) => transact(messages))),
  );
  setFlightDriver(db, {
    handleOn: (ask) => transactionOn((statement, values) => ask({ statement, values })),
    textOf: ({ statement }) => statement.text,
    ask: ({ statement, values }: Message) => query(statement, values),
    send: (messages) => use(({ readTogether }) => readTogether(messages)),
  });
  return { db, query, use, close: pool.close };
}

/** Drizzle uses only the method `query` of a client. */
const asClient = (query: Query): pg.Client => ({ query }) as unknown as pg.Client;

const dialect = new PgDialect();

function transactionOn(query: Query) {
  const session = new NodePgSession<NoSchema, NoSchema>(asClient(query), dialect, undefined);
  return new NodePgTransaction<NoSchema, NoSchema>(dialect, session, undefined);
}

const transactionsBy =
  (use: Pool['use']): Db['transaction'] =>
  (work, config) =>
    use((lent) => {
      const transaction = transactionOn(lent.query);
      setBatchRunner(transaction, (build) =>
        runBatch(build, transactionOn, (messages) => withinSavepoint(lent, messages)),
      );
      return runTransaction(transaction, { begin: lent.begin, work, config, onUncertain: lent.discard });
    });

/** A failed batch leaves the transaction usable. */
async function withinSavepoint({ pipeline, query }: CheckedOutConnection, messages: readonly Message[]) {
  try {
    const [, ...results] = await pipeline([
      messageOf('savepoint batch'),
      ...messages,
      messageOf('release savepoint batch'),
    ]);
    return results;
  } catch (error) {
    if (pgFault(error)) await query({ text: 'rollback to savepoint batch' });
    throw error;
  }
}
