import { type BuildBatch, type Db, type Frame, OpeningError, setRunners } from './client.ts';
import { isRead } from './flight-driver.ts';
import { collect, type HandleOn, runBatch } from './postgres/batch.ts';

/** How a driver that holds no transaction open sends statements: each call is one transaction in one round trip. */
export type LeaseDriver<Message, Answer> = {
  handleOn: HandleOn<Message, Answer>;
  textOf(message: Message): string;
  /** Runs reads; fails for a statement that writes. */
  read(messages: readonly Message[]): Promise<readonly Answer[]>;
  write(messages: readonly Message[]): Promise<readonly Answer[]>;
};

/**
 * Runs a frame over a protocol whose requests are transactions of their own. Reads are sent one by one. The opening,
 * the lease and the first write of the work are one transaction, so the lease exists if and only if the work has
 * written. A frame that writes nothing sends its opening at its end.
 *
 * Compared with one transaction, this gives up:
 * - A second write is a separate transaction: a process that ends between two writes leaves the first one.
 * - The closing is a separate transaction: a process that ends before it leaves the write and the lease.
 * - No locks are held from one statement to the next, so a later statement may see changes of others.
 */
export async function runLeasedFrame<T, Message, Answer>(
  db: Db,
  driver: LeaseDriver<Message, Answer>,
  frame: Frame<T>,
): Promise<T> {
  const own = new LeasedFrame<T, Message, Answer>(db, driver, frame);
  const outcome = await frame.work(own.handle).then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );
  await own.settled();
  if ('error' in outcome) {
    await own.abandon();
    throw outcome.error;
  }
  await own.close(outcome.result);
  return outcome.result;
}

class LeasedFrame<T, Message, Answer> {
  readonly handle: Db;
  readonly #driver: LeaseDriver<Message, Answer>;
  readonly #frame: Frame<T>;
  #isLeased = false;
  #refusal: OpeningError | undefined;
  /** Settles when the write is answered that takes the lease. Other writes wait for it. */
  #taking: Promise<void> | undefined;

  constructor(db: Db, driver: LeaseDriver<Message, Answer>, frame: Frame<T>) {
    this.#driver = driver;
    this.#frame = frame;
    const { handleOn, textOf } = driver;
    this.handle = handleOn((message) =>
      (isRead(textOf(message)) ? this.#read : this.#write)([message]).then(only),
    );
    setRunners(this.handle, {
      batch: (build) => runBatch(build, handleOn, this.#write),
      reads: (build) => runBatch(build, handleOn, this.#read),
    });
    this.handle.transaction = (work, config) =>
      this.#inTurn(
        () => db.transaction(work, config),
        () =>
          db.transaction(async (transaction) => {
            for (const statement of this.#taken(transaction)) await statement;
            return work(transaction);
          }, config),
      );
  }

  /** @throws OpeningError if the opening failed, although the work may not have noticed it */
  async settled(): Promise<void> {
    while (this.#taking !== undefined) await this.#taking;
    this.#assertOpened();
  }

  /** @throws OpeningError if nothing was written before, and the opening fails */
  async close(result: T): Promise<void> {
    const { opening, closing, lease } = this.#frame;
    if (this.#isLeased) await this.#send((h) => lease.closing(h, result)).catch(lease.onExpiry);
    else await this.#opened(() => this.#send((h) => [...opening(h), ...closing(h, result)]));
  }

  async abandon(): Promise<void> {
    if (this.#isLeased) await this.#send(this.#frame.lease.abandon).catch(this.#frame.lease.onExpiry);
  }

  readonly #read = async (messages: readonly Message[]): Promise<readonly Answer[]> => {
    this.#assertOpened();
    return this.#driver.read(messages);
  };

  readonly #write = (messages: readonly Message[]): Promise<readonly Answer[]> =>
    this.#inTurn(
      () => this.#driver.write(messages),
      async () => {
        const { messages: before } = await collect(this.#taken, this.#driver.handleOn);
        return (await this.#driver.write([...before, ...messages])).slice(before.length);
      },
    );

  readonly #taken: BuildBatch = (h) => [...this.#frame.opening(h), ...this.#frame.lease.take(h)];

  /** Runs `first` until it has succeeded once, then `next`. */
  async #inTurn<R>(next: () => Promise<R>, first: () => Promise<R>): Promise<R> {
    while (this.#taking !== undefined) await this.#taking;
    this.#assertOpened();
    if (this.#isLeased) return next();
    const taking = this.#opened(first);
    this.#taking = taking.then(
      () => this.#noteTaken(true),
      () => this.#noteTaken(false),
    );
    return taking;
  }

  #noteTaken(isLeased: boolean): void {
    this.#isLeased = isLeased;
    this.#taking = undefined;
  }

  async #opened<R>(send: () => Promise<R>): Promise<R> {
    try {
      return await send();
    } catch (cause) {
      if (!this.#frame.lease.isRefusal(cause)) throw cause;
      this.#refusal = new OpeningError('the transaction could not be opened', { cause });
      throw this.#refusal;
    }
  }

  #assertOpened(): void {
    if (this.#refusal) throw this.#refusal;
  }

  async #send(build: BuildBatch): Promise<void> {
    await runBatch(build, this.#driver.handleOn, this.#driver.write);
  }
}

function only<Answer>([answer]: readonly Answer[]): Answer {
  if (answer === undefined) throw new Error('a statement of the batch has no result');
  return answer;
}
