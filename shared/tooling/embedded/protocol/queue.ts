import { setImmediate as nextRound } from 'node:timers/promises';
import type { Problem } from './messages.ts';

/** A unit of work of a client for the engine. */
export type Job = {
  /** @returns true if the client keeps the engine, inside a transaction or an unfinished batch */
  run(): Promise<boolean>;
  /** Answers with an error instead of running the job. */
  refuse(problem: Problem): void;
  /** The type of the last message of a batch. */
  end?: string;
};

export type Client = {
  jobs: Job[];
  /** Since when the first job waits, in milliseconds of `performance.now()`. */
  waitsSince: number;
};

/**
 * The client that holds the engine. `idleSince` is absent while it has jobs. Times are those of `performance.now()`.
 */
export type Holder = { client: Client; heldSince: number; idleSince: number | undefined };

/**
 * Assigns the engine to one client at a time, in order of arrival. A client keeps it until it is outside of a
 * transaction and all its responses are sent. Transactions therefore run in sequence, and messages of different
 * clients are not interleaved.
 */
export class EngineQueue {
  readonly #waiting: Client[] = [];
  #holder: Client | undefined;
  #heldSince = 0;
  #isWorking = false;
  /** Called when a client has to wait, and when a client keeps the engine. */
  onChange: () => void = () => undefined;

  add(client: Client, job: Job): void {
    if (client.jobs.push(job) === 1) client.waitsSince = performance.now();
    if (!this.isHeldBy(client) && !this.#waiting.includes(client)) this.#waiting.push(client);
    if (this.#isWorking || (this.#holder && !this.isHeldBy(client))) this.onChange();
    if (!this.#isWorking) void this.#work();
  }

  /** Removes the first job of a client, unless it is running. */
  withdraw(client: Client): Job | undefined {
    const job = client.jobs.shift();
    client.waitsSince = performance.now();
    return job;
  }

  isHeldBy(client: Client): boolean {
    return client === this.#holder;
  }

  /** True if a job would run immediately. */
  get isFree(): boolean {
    return !this.#isWorking && this.#holder === undefined;
  }

  get waiting(): readonly Client[] {
    return this.#waiting.filter((client) => client.jobs.length > 0);
  }

  get holder(): Holder | undefined {
    const client = this.#holder;
    if (!client) return undefined;
    const idleSince = this.#isWorking ? undefined : client.waitsSince;
    return { client, heldSince: this.#heldSince, idleSince };
  }

  /** Resolves when no job can run. */
  async rest(): Promise<void> {
    while (this.#isWorking) await nextRound();
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    for (let client = this.#next(); client; client = this.#next()) {
      const job = client.jobs.shift();
      if (!job) break;
      if (!this.isHeldBy(client)) this.#heldSince = performance.now();
      this.#holder = client;
      const holdsEngine = await job.run();
      client.waitsSince = performance.now();
      if (!holdsEngine) this.#release(client);
      // Allows socket I/O and timers between two jobs.
      await nextRound();
    }
    this.#isWorking = false;
    if (this.#holder) this.onChange();
  }

  #release(client: Client): void {
    this.#holder = undefined;
    if (client.jobs.length > 0) this.#waiting.push(client);
  }

  #next(): Client | undefined {
    while (!this.#holder && this.#waiting.length > 0) {
      const client = this.#waiting.shift();
      if (client && client.jobs.length > 0) return client;
    }
    return this.#holder;
  }
}
