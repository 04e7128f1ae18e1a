import { drizzle, NodePgSession, NodePgTransaction } from 'drizzle-orm/node-postgres';
import { PgDialect, type PgTransactionConfig } from 'drizzle-orm/pg-core';
import type pg from 'pg';
import {
  type Connection,
  type ConnectOptions,
  type Db,
  type Frame,
  type NoteCommit,
  setRunners,
} from './client.ts';
import { setFlightDriver } from './flight.ts';
import { isRead } from './flight-driver.ts';
import { collect, type HandleOn, runBatch } from './postgres/batch.ts';
import type { CheckedOutConnection, Message, Query } from './postgres/checkout.ts';
import { InteractiveTransaction } from './postgres/interactive.ts';
import { createPool, type Pool, type SessionReport } from './postgres/pool.ts';
import type { PrepareReport } from './postgres/prepared.ts';
import type { NoSchema } from './postgres/transaction.ts';

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
  const db = handleOf(pool, { urgent: pool.urgent });
  setFlightDriver(db, {
    handleOn,
    textOf: ({ statement }) => statement.text,
    ask: ({ statement, values }: Message) => query(statement, values),
    send: (messages) => use(({ readTogether }) => readTogether(messages)),
  });
  return { db, query, use, close: pool.close };
}

type Using = Pick<Pool, 'query' | 'use'>;

function handleOf({ query, use }: Using, { note, urgent }: { note?: NoteCommit; urgent?: Using } = {}): Db {
  const single: Query = async (statement, values) => {
    if (!note || isRead(statement.text)) return query(statement, values);
    const [result] = await use(({ transact }) => transact([{ statement, values }], note));
    if (!result) throw new Error('the statement has no result');
    return result;
  };
  const db: Db = drizzle({ client: asClient(single) });
  db.transaction = (work, config) => use((lent) => runFramed(lent, { work, note, config }));
  setRunners(db, {
    batch: (build) =>
      runBatch(build, handleOn, (messages) => use(({ transact }) => transact(messages, note))),
    frame: (frame) => use((lent) => runFramed(lent, { ...frame, note })),
    noting: (own) => handleOf({ query, use }, { note: own, ...(urgent && { urgent }) }),
    ...(urgent && { urgent: () => handleOf(urgent, note && { note }) }),
  });
  return db;
}

/** Drizzle uses only the method `query` of a client. */
const asClient = (query: Query): pg.Client => ({ query }) as unknown as pg.Client;

const dialect = new PgDialect();

function transactionOn(query: Query) {
  const session = new NodePgSession<NoSchema, NoSchema>(asClient(query), dialect, undefined);
  return new NodePgTransaction<NoSchema, NoSchema>(dialect, session, undefined);
}

const handleOn: HandleOn<Message, pg.QueryResult> = (ask) =>
  transactionOn((statement, values = []) => ask({ statement, values }));

const nothing = (): [] => [];

async function runFramed<T>(
  connection: CheckedOutConnection,
  { opening = nothing, work, closing = nothing, note, config }: PartialFrame<T>,
): Promise<T> {
  const { messages } = await collect(opening, handleOn);
  const own = new InteractiveTransaction(connection, messages);
  const transaction = transactionOn(own.query);
  setRunners(transaction, { batch: (build) => runBatch(build, handleOn, own.batch) });
  try {
    if (config) await transaction.setTransaction(config);
    const result = await work(transaction);
    const last = await collect((h) => closing(h, result), handleOn);
    await own.commit(last.messages, note);
    return result;
  } catch (error) {
    throw await own.abandon(error);
  }
}

type PartialFrame<T> = Partial<Pick<Frame<T>, 'opening' | 'closing'>> & {
  work: (transaction: ReturnType<typeof transactionOn>) => Promise<T>;
  note?: NoteCommit | undefined;
  config?: PgTransactionConfig | undefined;
};
