import type { Db } from '../client.ts';
import {
  type FlightDriver,
  messagesOf,
  type Pending,
  pending,
  resultAt,
  type Settled,
  settle,
} from '../flight-driver.ts';
import { withTimeout } from '../postgres/slots.ts';

/** A replica for the reads of a request, and the condition under which its answers count. */
export type ReadSource = {
  /** A handle of the replica. */
  db: Db;
  /** Builds statements that are sent to the primary with the lookup. */
  onPrimary: (handle: Db) => Promise<unknown[]>[];
  /** Builds statements that are sent to the replica before the reads. */
  onReplica: (handle: Db) => Promise<unknown[]>[];
  /** Decides by the rows of these statements, without waiting for the replica if those of the primary suffice. */
  judge(primary: unknown[][], replica: Promise<unknown[][]>): Promise<Verdict>;
  /** Called if the replica did not answer in time. */
  onFailure: (error: unknown) => undefined;
};

/** The answers count, the reads are repeated on the replica, or they are sent to the primary. */
export type Verdict = 'valid' | 'repeat' | 'primary';

/** Milliseconds that the answers of the replica are waited for after the approval. */
const patienceMs = 2_000;

type ReadsApart<Message, Answer> = {
  source: ReadSource;
  primary: FlightDriver<Message, Answer>;
  replica: FlightDriver<Message, Answer>;
  lookup: Message;
  reads: readonly Message[];
  /** Resolves when the reads are approved. */
  approved: Promise<void>;
};

/**
 * Sends the lookup to the primary and the reads to the replica, at the same time. The primary answers the reads if the
 * answers of the replica do not count or do not arrive in time, or if one of them is an error.
 */
export function sendApart<Message, Answer>(
  parts: ReadsApart<Message, Answer>,
): {
  lookup: Promise<Answer>;
  reads: Promise<readonly Settled<Answer>[]>;
} {
  const { source, primary, replica, lookup, reads, approved } = parts;
  const beside = collected(primary, source.onPrimary);
  const before = collected(replica, source.onReplica);
  const atPrimary = primary.send([lookup, ...beside.messages]);
  const atReplica = replica.send([...before.messages, ...reads]);
  atReplica.catch(() => undefined);
  beside.settleBy(atPrimary, 1);
  before.settleBy(atReplica, 0);
  const fromReplica = async (): Promise<readonly Settled<Answer>[] | undefined> => {
    const verdict = await source.judge(await beside.rows, before.rows);
    if (verdict === 'primary') return undefined;
    const answers =
      verdict === 'repeat' ? await replica.send(reads) : (await atReplica).slice(before.messages.length);
    return answers.every((answer) => 'result' in answer) ? answers : undefined;
  };
  const choose = async (): Promise<readonly Settled<Answer>[]> => {
    const answers = await withTimeout(fromReplica(), patienceMs).catch(source.onFailure);
    return answers ?? primary.send(reads);
  };
  return { lookup: resultAt(atPrimary, 0), reads: approved.then(choose) };
}

/** Builds statements without sending any. */
function collected<Message, Answer>(
  driver: FlightDriver<Message, Answer>,
  build: (handle: Db) => Promise<unknown[]>[],
) {
  const statements: Pending<Message, Answer>[] = [];
  const handle = driver.handleOn((message) => {
    const statement = pending<Message, Answer>(message);
    statements.push(statement);
    return statement.answer.promise;
  });
  const rows = Promise.all(build(handle));
  rows.catch(() => undefined);
  return {
    messages: messagesOf(statements),
    rows,
    settleBy: (sent: Promise<readonly Settled<Answer>[]>, from: number): void => {
      for (const [at, statement] of statements.entries()) settle(statement, resultAt(sent, from + at));
    },
  };
}
