import type pg from 'pg';
import { assertOwned, type BuildBatch, type Db, type Statement } from '../client.ts';
import type { Message, Query } from './checkout.ts';

type Collected = Message & { answer: PromiseWithResolvers<pg.QueryResult> };

/** Statements of a batch in the form in which they are sent, and the results that their answers give. */
type CollectedBatch = {
  messages: readonly Message[];
  resultsOf(answers: readonly pg.QueryResult[]): Promise<unknown[]>;
};

/**
 * Runs a batch in one round trip. All statements are built and encoded before the first one is sent, so that an error
 * in one of them sends nothing.
 * @param handleOn creates a handle whose statements are passed to a function
 * @param send sends the messages as one unit; its results are those of the messages
 */
export async function runBatch(
  build: BuildBatch,
  handleOn: (query: Query) => Db,
  send: (messages: readonly Message[]) => Promise<readonly pg.QueryResult[]>,
): Promise<unknown[]> {
  const { messages, resultsOf } = await collect(build, handleOn);
  return messages.length === 0 ? [] : resultsOf(await send(messages));
}

/** Builds and encodes the statements of a batch, without sending any. */
export async function collect(build: BuildBatch, handleOn: (query: Query) => Db): Promise<CollectedBatch> {
  const collected: Collected[] = [];
  const handle = handleOn((statement, values = []) => {
    const answer = Promise.withResolvers<pg.QueryResult>();
    collected.push({ statement, values, answer });
    return answer.promise;
  });
  const results: Promise<unknown>[] = [];
  for (const statement of build(handle)) {
    assertOwned(statement, handle);
    const result = started(statement);
    results.push(result);
    // Drizzle calls the driver at once. Otherwise the statement has failed before.
    if (collected.length !== results.length) throw await result.then(notSent, (error: unknown) => error);
  }
  return {
    messages: collected,
    resultsOf: (answers) => {
      for (const [at, { answer }] of collected.entries()) {
        const result = answers[at];
        if (result) answer.resolve(result);
        else answer.reject(new Error('a statement of the batch has no result'));
      }
      return Promise.all(results);
    },
  };
}

/** Drizzle sends a statement in the call of its `then`. */
function started(statement: Statement): Promise<unknown> {
  if (!isThenable(statement)) throw new Error('not a statement of Drizzle');
  return new Promise((resolve, reject) => {
    statement.then(resolve, reject);
  });
}

const isThenable = (statement: object): statement is PromiseLike<unknown> =>
  'then' in statement && typeof statement.then === 'function';

const notSent = (): Error => new Error('a statement of the batch was not sent');
