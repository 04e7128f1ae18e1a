import type pg from 'pg';
import utils from 'pg/lib/utils.js';
import type { NoteCommit } from '../client.ts';
import type { GuardedClient } from './client.ts';
import type { PreparedStatements } from './prepared.ts';
import { beginWith, type Timeouts } from './session/limits.ts';
import { NoResponseError, withTimeout } from './slots.ts';

export type Query = (statement: pg.QueryConfig, values?: unknown[]) => Promise<pg.QueryResult>;

/** A statement with its values, in the form that the server receives. */
export type Message = { statement: pg.QueryConfig; values?: unknown[] | undefined };

/** A connection that is checked out of the pool, with the limits that apply to its statements. */
export type CheckedOutConnection = {
  query: Query;
  /** Sends statements in one round trip. After a failed statement of a transaction, the server rejects the others. */
  answersTo: (messages: readonly Message[]) => Promise<Answer[]>;
  /**
   * Runs statements as one transaction in one round trip, which is repeated if it was rolled back because a statement
   * was prepared.
   * @returns the results of the statements
   */
  transact: (messages: readonly Message[], note?: NoteCommit) => Promise<pg.QueryResult[]>;
  /** Runs reads in one round trip, each with its own view of the data. The order of the answers is that of the reads. */
  readTogether: (messages: readonly Message[]) => Promise<Answer[]>;
  /** The statement that begins a transaction with the limits. */
  begin: string;
  /** Removes the connection from the pool after use. */
  discard(): void;
};

export type CheckoutParts = {
  client: GuardedClient;
  limits: Timeouts;
  prepared: PreparedStatements;
  /** Called for each time that the client waits for answers of the server. */
  onRoundTrip: (() => void) | undefined;
};

/** Milliseconds by which the client waits longer than the server, so that the server's error is reported. */
const marginMs = 1_000;

/** The answer to one message. */
export type Answer = { result: pg.QueryResult } | { error: unknown };

export class Checkout implements CheckedOutConnection {
  readonly begin: string;
  readonly #parts: CheckoutParts;
  #isUsable = true;

  constructor(parts: CheckoutParts) {
    this.#parts = parts;
    this.begin = parts.client.session.isLimited ? 'begin' : beginWith(parts.limits);
  }

  get isUsable(): boolean {
    return this.#isUsable;
  }

  discard = (): void => {
    this.#isUsable = false;
  };

  /** Runs one statement as its own transaction. */
  single: Query = async (statement, values) => {
    if (this.#parts.client.session.isLimited) return this.#once({ statement, values });
    const [result] = await this.transact([{ statement, values }]);
    if (!result) throw new Error('the statement has no result');
    return result;
  };

  // A refused statement ends its transaction, and the next one is sent without a name. Behind a pooler, where that
  // is likely, statements of a transaction have no names.
  query: Query = async (statement, values) => {
    const message = { statement: this.#namedInTransaction(statement), values };
    try {
      return await this.#send(message);
    } catch (error) {
      this.#parts.prepared.noteRefusal(error, message.statement);
      throw error;
    }
  };

  answersTo = async (messages: readonly Message[]): Promise<Answer[]> => {
    const named = messages.map(({ statement, values }) => ({
      statement: this.#namedInTransaction(statement),
      values,
    }));
    const answers = await this.#sendAll(named);
    this.#noteRefusal(named, answers);
    return answers;
  };

  transact = async (messages: readonly Message[], note?: NoteCommit): Promise<pg.QueryResult[]> => {
    const { prepared } = this.#parts;
    const after = note ? [positionMessage] : [];
    const run = (inner: readonly Message[]): Promise<Answer[]> =>
      this.#sendAll([messageOf(this.begin), ...inner, messageOf('commit'), ...after]);
    const named = messages.map((message) => ({ ...message, statement: prepared.named(message.statement) }));
    const first = await run(named);
    const end = messages.length + 1;
    const isRefused = this.#noteRefusal(named, first.slice(1)) && isRolledBack(first[end]);
    const answers = isRefused ? await run(messages) : first;
    const results = resultsOf(answers.slice(0, end + 1)).slice(1, -1);
    notePosition(note, answers[end + 1]);
    return results;
  };

  readTogether = async (messages: readonly Message[]): Promise<Answer[]> => {
    const { prepared } = this.#parts;
    const named = messages.map((message) => ({ ...message, statement: prepared.named(message.statement) }));
    const answers = await this.#sendReads(named);
    return this.#noteRefusal(named, answers) ? this.#sendReads(messages) : answers;
  };

  /** Limits that must be set in each transaction make them one transaction: a failure then fails the reads after it. */
  async #sendReads(messages: readonly Message[]): Promise<Answer[]> {
    if (this.#parts.client.session.isLimited) return this.#sendAll(messages);
    const answers = await this.#sendAll([messageOf(this.begin), ...messages, messageOf('commit')]);
    return answers.slice(1, -1);
  }

  async #once(message: Message): Promise<pg.QueryResult> {
    const { prepared } = this.#parts;
    const statement = prepared.named(message.statement);
    try {
      return await this.#send({ ...message, statement });
    } catch (error) {
      if (!prepared.noteRefusal(error, statement)) throw error;
      return this.#send(message);
    }
  }

  #namedInTransaction(statement: pg.QueryConfig): pg.QueryConfig {
    const { client, prepared } = this.#parts;
    return client.session.isPooled ? statement : prepared.named(statement);
  }

  /** The first failure decides: the others follow from it. */
  #noteRefusal(messages: readonly Message[], answers: readonly Answer[]): boolean {
    const at = answers.findIndex((answer) => 'error' in answer);
    const answer = answers[at];
    const message = messages[at];
    if (!message || !answer || !('error' in answer)) return false;
    return this.#parts.prepared.noteRefusal(answer.error, message.statement);
  }

  async #send({ statement, values }: Message): Promise<pg.QueryResult> {
    const { client, limits, onRoundTrip } = this.#parts;
    onRoundTrip?.();
    try {
      client.prepare(statement.name);
      return await withTimeout(client.query(statement, values), limits.statementMs + marginMs);
    } catch (error) {
      if (error instanceof NoResponseError) this.discard();
      throw error;
    }
  }

  async #sendAll(messages: readonly Message[]): Promise<Answer[]> {
    const { client, limits, onRoundTrip } = this.#parts;
    const answers: Answer[] = [];
    onRoundTrip?.();
    for (const sent of sendTogether(client, messages)) {
      // The server begins a statement when the one before it has ended.
      const answer: Answer = await withTimeout(sent, limits.statementMs + marginMs).then(
        (result) => ({ result }),
        (error: unknown) => ({ error }),
      );
      answers.push(answer);
      if ('error' in answer && answer.error instanceof NoResponseError) {
        this.discard();
        return answers;
      }
    }
    client.pipeline = false;
    return answers;
  }
}

export const messageOf = (text: string): Message => ({ statement: { text } });

const isRolledBack = (commit: Answer | undefined): boolean =>
  commit !== undefined && 'result' in commit && commit.result.command === 'ROLLBACK';

/** Sent after a commit, whose record is before this position. */
export const positionMessage = messageOf('select pg_current_wal_insert_lsn()::text as position');

/** Without an answer the position stays unknown; the transaction was committed before. */
export function notePosition(note: NoteCommit | undefined, answer: Answer | undefined): void {
  if (!note || !answer || 'error' in answer) return;
  const position: unknown = answer.result.rows[0]?.position;
  if (typeof position === 'string') note(position);
}

/** @throws the error of the first statement that failed */
export function resultsOf(answers: readonly Answer[]): pg.QueryResult[] {
  return answers.map((answer) => {
    if ('error' in answer) throw answer.error;
    return answer.result;
  });
}

/** Sends all messages in one packet. The values are encoded before, because a value that cannot be must stop them all. */
function sendTogether(client: GuardedClient, messages: readonly Message[]): Promise<pg.QueryResult>[] {
  const encoded = messages.map(({ statement, values = [] }) => ({
    statement,
    values: values.map(utils.prepareValue),
  }));
  const { stream } = client.connection;
  client.pipeline = true;
  stream.cork();
  const answers = encoded.map(({ statement, values }) => {
    client.prepare(statement.name);
    return client.query(statement, values.length === 0 ? undefined : values);
  });
  stream.uncork();
  // A failure is reported when the answers before it have arrived.
  for (const answer of answers) answer.catch(() => undefined);
  return answers;
}
