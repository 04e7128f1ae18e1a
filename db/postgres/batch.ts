import { assertOwned, type BuildBatch, type Db, type Statement } from '../client.ts';

/** Creates a handle whose statements are passed to a function, in the form in which the driver sends them. */
export type HandleOn<Message, Answer> = (ask: (message: Message) => Promise<Answer>) => Db;

/** Statements of a batch in the form in which they are sent, and the results that their answers give. */
type CollectedBatch<Message, Answer> = {
  messages: readonly Message[];
  resultsOf(answers: readonly Answer[]): Promise<unknown[]>;
};

/**
 * Runs a batch in one round trip. All statements are built and encoded before the first one is sent, so that an error
 * in one of them sends nothing.
 * @param send sends the messages as one unit; its results are those of the messages
 */
export async function runBatch<Message, Answer>(
  build: BuildBatch,
  handleOn: HandleOn<Message, Answer>,
  send: (messages: readonly Message[]) => Promise<readonly Answer[]>,
): Promise<unknown[]> {
  const { messages, resultsOf } = await collect(build, handleOn);
  return messages.length === 0 ? [] : resultsOf(await send(messages));
}

/** Builds and encodes the statements of a batch, without sending any. */
export async function collect<Message, Answer>(
  build: BuildBatch,
  handleOn: HandleOn<Message, Answer>,
): Promise<CollectedBatch<Message, Answer>> {
  const messages: Message[] = [];
  const awaited: PromiseWithResolvers<Answer>[] = [];
  const handle = handleOn((message) => {
    const answer = Promise.withResolvers<Answer>();
    messages.push(message);
    awaited.push(answer);
    return answer.promise;
  });
  const results: Promise<unknown>[] = [];
  for (const statement of build(handle)) {
    assertOwned(statement, handle);
    const result = started(statement);
    results.push(result);
    // Drizzle calls the driver at once. Otherwise the statement has failed before.
    if (messages.length !== results.length) throw await result.then(notSent, (error: unknown) => error);
  }
  return {
    messages,
    resultsOf: (answers) => {
      for (const [at, { resolve, reject }] of awaited.entries()) {
        const answer = answers[at];
        if (answer !== undefined) resolve(answer);
        else reject(new Error('a statement of the batch has no result'));
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
