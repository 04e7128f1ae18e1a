import { atomically, type Db, setRunners, withFrame } from './client.ts';
import {
  type FlightDriver,
  isRead,
  messagesOf,
  type Pending,
  pending,
  resultAt,
  type Settled,
  settle,
} from './flight-driver.ts';
import { type ReadSource, sendApart } from './replica/reads-apart.ts';

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

type AnyDriver = FlightDriver<unknown, unknown>;
const drivers = new WeakMap<Db, AnyDriver>();

/** Sets how the driver of a handle sends reads together. */
export function setFlightDriver<Message, Answer>(db: Db, driver: FlightDriver<Message, Answer>): void {
  // A driver only gets its own messages.
  drivers.set(db, driver as unknown as AnyDriver);
}

/**
 * @param source answers the first reads; default: the primary. It has the same driver
 * @returns undefined if the driver of the handle cannot send reads together
 */
export function openFlight(db: Db, source?: ReadSource): Flight | undefined {
  const driver = drivers.get(db);
  const replica = source && drivers.get(source.db);
  return driver && new ReadFlight(db, driver, source && replica && { source, replica });
}

type Elsewhere<Message, Answer> = { source: ReadSource; replica: FlightDriver<Message, Answer> };

/** Milliseconds that the lookup waits for work that does something else before its first read. */
const patienceMs = 5;

class ReadFlight<Message, Answer> implements Flight {
  readonly lookup: Db;
  readonly handle: Db;
  readonly approved: Promise<void>;
  readonly #driver: FlightDriver<Message, Answer>;
  readonly #elsewhere: Elsewhere<Message, Answer> | undefined;
  readonly #approval = Promise.withResolvers<void>();
  readonly #reads: Pending<Message, Answer>[] = [];
  #lookup: Pending<Message, Answer> | undefined;
  #hasDeparted = false;
  /** The flight departs when the lookup is known. */
  #isDue = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    db: Db,
    driver: FlightDriver<Message, Answer>,
    elsewhere: Elsewhere<Message, Answer> | undefined,
  ) {
    this.#driver = driver;
    this.#elsewhere = elsewhere;
    this.approved = this.#approval.promise;
    this.lookup = driver.handleOn((message) => this.#lookUp(message));
    this.handle = driver.handleOn((message) => this.#ask(message));
    setRunners(this.handle, {
      reads: async (build) =>
        this.#hasDeparted ? atomically(this.handle, build) : Promise.all(build(this.handle)),
      batch: async (build) => {
        await this.#awaitApproval();
        return atomically(db, build);
      },
      frame: async (frame) => {
        await this.#awaitApproval();
        return withFrame(db, frame);
      },
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
    const sent = this.#send(lookup.message, messagesOf(this.#reads));
    // They may be discarded before they are asked for.
    sent.reads.catch(() => undefined);
    settle(lookup, sent.lookup);
    for (const [at, read] of this.#reads.entries()) settle(read, resultAt(sent.reads, at));
  }

  #send(
    lookup: Message,
    reads: Message[],
  ): { lookup: Promise<Answer>; reads: Promise<readonly Settled<Answer>[]> } {
    const { approved } = this;
    if (this.#elsewhere && reads.length > 0)
      return sendApart({ ...this.#elsewhere, primary: this.#driver, lookup, reads, approved });
    const sent = this.#driver.send([lookup, ...reads]);
    return {
      lookup: resultAt(sent, 0),
      reads: approved.then(async () => (await sent).slice(1)),
    };
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
