import type { Buffer } from 'node:buffer';
import { setImmediate as nextRound } from 'node:timers/promises';
import type { Message } from './postgres-messages.ts';

/** One PostgreSQL backend, which knows one session only. */
export type Engine = {
  /** What it answers to a startup message. */
  greeting: Buffer;
  /** Runs one message and returns what it answers. A throw means that the engine is broken. */
  execute(message: Message): Promise<Buffer>;
  isInTransaction(): boolean;
};

export type Client = {
  answer(bytes: Buffer): void;
  /** Messages up to one that asks for an answer; run as a whole, so that no half of a batch takes effect. */
  batches: Message[][];
  /** Milliseconds of the epoch. */
  activeAt: number;
};

const flush = 'H'.charCodeAt(0);

/**
 * Lets clients use an engine one after the other: who has the turn keeps it until he is outside a transaction and
 * has been answered. So transactions run one by one, and no message of one client comes between two of another.
 */
export class Turns {
  readonly #engine: Engine;
  readonly #waiting: Client[] = [];
  #holder: Client | undefined;
  #isWorking = false;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  add(client: Client, batch: Message[]): void {
    client.batches.push(batch);
    if (!this.isHeldBy(client) && !this.#waiting.includes(client)) this.#waiting.push(client);
    if (!this.#isWorking) void this.#work();
  }

  isHeldBy(client: Client): boolean {
    return client === this.#holder;
  }

  /** The client that has the turn and says nothing, while others wait for it. */
  blocker(): Client | undefined {
    return this.#waiting.length > 0 && this.#holder?.batches.length === 0 ? this.#holder : undefined;
  }

  /** Resolves when nothing is left that could run. */
  async rest(): Promise<void> {
    while (this.#isWorking) await nextRound();
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    let client = this.#next();
    for (let batch = client?.batches.shift(); client && batch; batch = client?.batches.shift()) {
      this.#holder = client;
      await this.#run(client, batch);
      if (!this.#engine.isInTransaction() && batch.at(-1)?.[0] !== flush) this.#holder = undefined;
      if (!this.#holder && client.batches.length > 0) this.#waiting.push(client);
      // Lets sockets be read and written between two batches.
      await nextRound();
      client = this.#next();
    }
    this.#isWorking = false;
  }

  #next(): Client | undefined {
    while (!this.#holder && this.#waiting.length > 0) {
      const client = this.#waiting.shift();
      if (client && client.batches.length > 0) return client;
    }
    return this.#holder;
  }

  async #run(client: Client, batch: readonly Message[]): Promise<void> {
    for (const message of batch) {
      const answer = await this.#engine.execute(message);
      if (answer.length > 0) client.answer(answer);
    }
    client.activeAt = Date.now();
  }
}
