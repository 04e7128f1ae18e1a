import type { HandleOn } from './postgres/batch.ts';

/** The result of a read, or the error that it ended with. */
export type Settled<Answer> = { result: Answer } | { error: unknown };

/** How a driver sends reads in one round trip. */
export type FlightDriver<Message, Answer> = {
  handleOn: HandleOn<Message, Answer>;
  textOf(message: Message): string;
  /** Runs one statement. */
  ask(message: Message): Promise<Answer>;
  /**
   * Runs reads in their order in one round trip, each with its own view of the data.
   * @throws Error if no read has an answer
   */
  send(messages: readonly Message[]): Promise<readonly Settled<Answer>[]>;
};

/** A statement that waits for its answer. */
export type Pending<Message, Answer> = { message: Message; answer: PromiseWithResolvers<Answer> };

export const pending = <Message, Answer>(message: Message): Pending<Message, Answer> => ({
  message,
  answer: Promise.withResolvers<Answer>(),
});

export const messagesOf = <Message, Answer>(reads: readonly Pending<Message, Answer>[]): Message[] =>
  reads.map(({ message }) => message);

export async function resultAt<Answer>(
  sent: Promise<readonly Settled<Answer>[]>,
  at: number,
): Promise<Answer> {
  const settled = (await sent)[at];
  if (!settled) throw new Error('The database did not answer');
  if ('error' in settled) throw settled.error;
  return settled.result;
}

/** A read whose caller has failed meanwhile must not end the process. */
export function settle<Message, Answer>({ answer }: Pending<Message, Answer>, result: Promise<Answer>): void {
  answer.promise.catch(() => undefined);
  result.then(answer.resolve, answer.reject);
}

/** Runs reads one after the other, after a transaction with all of them has failed. */
export async function settledOneByOne<Answer>(
  reads: readonly (() => PromiseLike<Answer>)[],
): Promise<Settled<Answer>[]> {
  const settled: Settled<Answer>[] = [];
  for (const read of reads)
    settled.push(
      await read().then(
        (result) => ({ result }),
        (error: unknown) => ({ error }),
      ),
    );
  return settled;
}

/** False for a statement that writes or locks rows. Functions that write are not recognized. */
export const isRead = (text: string): boolean =>
  /^[\s(]*(?:select|with)\b/i.test(text) &&
  !/\b(?:insert|update|delete|merge|for\s+(?:key\s+)?share)\b/i.test(text);
