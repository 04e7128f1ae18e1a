import type pg from 'pg';
import { type NoteCommit, OpeningError } from '../client.ts';
import { isUnavailable, pgFault } from '../errors.ts';
import {
  type Answer,
  type CheckedOutConnection,
  type Message,
  messageOf,
  notePosition,
  positionMessage,
  type Query,
  resultsOf,
} from './checkout.ts';

/** An interactive transaction, whose beginning is sent with its first statement, and whose end with its last ones. */
export class InteractiveTransaction {
  readonly #connection: CheckedOutConnection;
  /** What is sent before the first statement; empty afterwards. */
  #opening: readonly Message[];
  #openingError: OpeningError | undefined;

  constructor(connection: CheckedOutConnection, opening: readonly Message[]) {
    this.#connection = connection;
    this.#opening = [messageOf(connection.begin), ...opening];
  }

  query: Query = async (statement, values) => {
    if (this.#opening.length === 0) return this.#connection.query(statement, values);
    const [result] = await this.#send([{ statement, values }]);
    if (!result) throw new Error('the statement has no result');
    return result;
  };

  /** Runs statements in one round trip. A failure leaves the transaction usable. */
  batch = async (messages: readonly Message[]): Promise<pg.QueryResult[]> => {
    try {
      const framed = [messageOf('savepoint batch'), ...messages, messageOf('release savepoint batch')];
      return (await this.#send(framed)).slice(1, -1);
    } catch (error) {
      if (pgFault(error) && !this.#openingError) await this.query({ text: 'rollback to savepoint batch' });
      throw error;
    }
  };

  /** @throws OpeningError if the opening failed, although the work has not noticed it */
  async commit(closing: readonly Message[], note?: NoteCommit): Promise<void> {
    // Nothing was sent.
    if (this.#opening.length === 1 && closing.length === 0) return;
    if (this.#openingError) throw this.#openingError;
    const after = note ? [positionMessage] : [];
    const answers = await this.#answersTo([...closing, messageOf('commit'), ...after]);
    const results = resultsOf(answers.slice(0, closing.length + 1));
    if (results.at(-1)?.command === 'ROLLBACK') throw new Error('the transaction was rolled back');
    notePosition(note, answers[closing.length + 1]);
  }

  /** @returns the error that explains the failure of the work */
  async abandon(error: unknown): Promise<unknown> {
    const cause = this.#openingError ?? error;
    const isUnanswered = pgFault(cause) === undefined && isUnavailable(cause);
    if (isUnanswered) this.#connection.discard();
    else if (this.#opening.length === 0)
      await this.#connection.query({ text: 'rollback' }).catch(this.#connection.discard);
    return cause;
  }

  async #send(messages: readonly Message[]): Promise<pg.QueryResult[]> {
    return resultsOf(await this.#answersTo(messages));
  }

  /** @throws OpeningError if the opening failed */
  async #answersTo(messages: readonly Message[]): Promise<readonly Answer[]> {
    if (this.#openingError) throw this.#openingError;
    const opening = this.#opening;
    if (opening.length === 0) return this.#connection.answersTo(messages);
    this.#opening = [];
    const answers = await this.#connection.answersTo([...opening, ...messages]);
    for (const answer of answers.slice(0, opening.length)) {
      if (!('error' in answer)) continue;
      if (!pgFault(answer.error)) throw answer.error;
      this.#openingError = new OpeningError('the transaction could not be opened', { cause: answer.error });
      throw this.#openingError;
    }
    return answers.slice(opening.length);
  }
}
