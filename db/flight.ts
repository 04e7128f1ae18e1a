import { atomically, type Db, setBatchRunner, setReadRunner } from './client.ts';

/**
 * Reads that are sent in one round trip with a first read, the lookup, which decides whether they are valid. The lookup
 * runs first, so the other reads see at least the data that it has seen.
 */
export type Flight = {
  /** The first statement of this handle is the lookup. */
  lookup: Db;
  /**
   * The first reads of this handle are sent with the lookup. Everything else waits for the approval, and is then sent
   * as on any other handle.
   */
  handle: Db;
  /** Resolves when the reads are approved. @throws DiscardedError */
  approved: Promise<void>;
  /** Sends the lookup and the reads that were collected. Called automatically, soon after the first read. */
  depart(): void;
  /** Delivers the results of the reads, or discards them. Their errors are discarded with them. */
  decide(isApproved: boolean): void;
};

/** The reads of a flight were discarded. */
export class DiscardedError extends Error {}

type Settled<Answer> = { result: Answer } | { error: unknown };

/** How a driver sends reads in one round trip. */
export type FlightDriver<Message, Answer> = {
  /** Creates a handle whose statements are passed to a function. */
  handleOn(ask: (message: Message) => Promise<Answer>): Db;
  textOf(message: Message): string;
  /** Runs one statement. */
  ask(message: Message): Promise<Answer>;
  /**
   * Runs reads in their order in one round trip, each with its own view of the data.
   * @throws Error if no read has an answer
   */
  send(messages: readonly Message[]): Promise<readonly Settled<Answer>[]>;
};

const openers = new WeakMap<Db, () => Flight>();

/** Sets how the driver of a handle sends reads together. */
export function setFlightDriver<Message, Answer>(db: Db, driver: FlightDriver<Message, Answer>): void {
  openers.set(db, () => new ReadFlight(db, driver));
}

/** @returns undefined if the driver of the handle cannot send reads together */
export const openFlight = (db: Db): Flight | undefined => openers.get(db)?.();

type Pending<Message, Answer> = { message: Message; answer: PromiseWithResolvers<Answer> };

/** Milliseconds that the lookup waits for work that does something else before its first read. */
const patienceMs = 5;

class ReadFlight<Message, Answer> implements Flight {
  readonly lookup: Db;
  readonly handle: Db;
  readonly approved: Promise<void>;
  readonly #driver: FlightDriver<Message, Answer>;
  readonly #approval = Promise.withResolvers<void>();
  readonly #reads: Pending<Message, Answer>[] = [];
  #lookup: Pending<Message, Answer> | undefined;
  #hasDeparted = false;
  /** The flight departs when the lookup is known. */
  #isDue = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(db: Db, driver: FlightDriver<Message, Answer>) {
    this.#driver = driver;
    this.approved = this.#approval.promise;
    this.lookup = driver.handleOn((message) => this.#lookUp(message));
    this.handle = driver.handleOn((message) => this.#ask(message));
    setReadRunner(this.handle, async (build) =>
      this.#hasDeparted ? atomically(this.handle, build) : Promise.all(build(this.handle)),
    );
    setBatchRunner(this.handle, async (build) => {
      await this.#awaitApproval();
      return atomically(db, build);
    });
    this.handle.transaction = async (work, config) => {
      await this.#awaitApproval();
      return db.transaction(work, config);
    };
    // It is not an error if nothing waits for the approval.
    this.approved.catch(() => undefined);
  }

  depart(): void {
    this.#isDue = true;
    const lookup = this.#lookup;
    if (this.#hasDeparted || !lookup) return;
    this.#hasDeparted = true;
    clearTimeout(this.#timer);
    const sent = this.#driver.send([lookup, ...this.#reads].map(({ message }) => message));
    settle(lookup, resultAt(sent, 0));
    for (const [at, read] of this.#reads.entries())
      settle(
        read,
        this.approved.then(() => resultAt(sent, at + 1)),
      );
  }

  decide(isApproved: boolean): void {
    if (isApproved) this.#approval.resolve();
    else this.#approval.reject(new DiscardedError('the caller has changed'));
    if (this.#hasDeparted) return;
    this.#hasDeparted = true;
    clearTimeout(this.#timer);
    const lookup = this.#lookup;
    if (lookup) settle(lookup, this.#driver.ask(lookup.message));
    for (const read of this.#reads)
      settle(
        read,
        this.approved.then(() => this.#driver.ask(read.message)),
      );
  }

  async #awaitApproval(): Promise<void> {
    this.depart();
    await this.approved;
  }

  async #lookUp(message: Message): Promise<Answer> {
    if (this.#hasDeparted || this.#lookup) return this.#driver.ask(message);
    this.#lookup = pending(message);
    this.#timer = setTimeout(() => this.depart(), patienceMs);
    if (this.#isDue) this.depart();
    return this.#lookup.answer.promise;
  }

  async #ask(message: Message): Promise<Answer> {
    if (this.#hasDeparted || !isRead(this.#driver.textOf(message))) {
      await this.#awaitApproval();
      return this.#driver.ask(message);
    }
    const read = pending<Message, Answer>(message);
    this.#reads.push(read);
    // Concurrent reads are asked for in the same turn of the event loop.
    if (this.#reads.length === 1) setImmediate(() => this.depart());
    return read.answer.promise;
  }
}

const pending = <Message, Answer>(message: Message): Pending<Message, Answer> => ({
  message,
  answer: Promise.withResolvers<Answer>(),
});

const isRead = (text: string): boolean =>
  /^[\s(]*(?:select|with)\b/i.test(text) && !/\b(?:insert|update|delete|merge)\b/i.test(text);

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

async function resultAt<Answer>(sent: Promise<readonly Settled<Answer>[]>, at: number): Promise<Answer> {
  const settled = (await sent)[at];
  if (!settled) throw new Error('The database did not answer');
  if ('error' in settled) throw settled.error;
  return settled.result;
}

/** A read whose caller has failed meanwhile must not end the process. */
function settle<Message, Answer>({ answer }: Pending<Message, Answer>, result: Promise<Answer>): void {
  answer.promise.catch(() => undefined);
  result.then(answer.resolve, answer.reject);
}
