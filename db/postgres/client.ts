import pg from 'pg';
import { cancelStatement } from './cancel.ts';
import { inspect, type Limits, type Session, startupOptions } from './limits.ts';
import type { Slots } from './slots.ts';

/** What the connections of one pool share. */
export type Shared = {
  limits: Limits;
  /** Start-up options of the URL. */
  urlOptions: string | undefined;
  /** False once the server, or a pooler in front of it, has refused a session for its start-up options. */
  sendsOptions: boolean;
  slots: Slots;
  /** All for which the server may have a session. */
  clients: Set<GuardedClient>;
};

/** Milliseconds for the TCP connection. */
const connectTimeoutMs = 3_000;
/** Milliseconds after which a connection that the server does not end is given up, with whatever is at its other end. */
const holdMs = 60_000;

/**
 * A connection that keeps a slot of its pool until the server has ended its session. A statement that is given up is
 * cancelled, and its connection never used again: a late CancelRequest could end the next statement.
 */
export class GuardedClient extends pg.Client {
  // `pg` sets these, and its declarations lack them.
  declare readonly processID: number | null;
  declare readonly secretKey: number | null;
  declare readonly readyForQuery: boolean | undefined;
  /** While true, `pg` sends a statement without waiting for the answer to the one before. */
  declare pipeline: boolean;
  session: Session = { isLimited: false, isByOptions: false, isPooled: false };
  readonly #shared: Shared;
  /** Resolves when the connection is closed at both ends. */
  readonly #ended = Promise.withResolvers<void>();
  #isReady = false;
  #leaving: Promise<void> | undefined;

  constructor(config: pg.ClientConfig, shared: Shared) {
    const { limits, urlOptions, sendsOptions } = shared;
    const options = sendsOptions ? startupOptions(limits, urlOptions) : urlOptions;
    super({ ...config, ...(options !== undefined && { options }) });
    this.#shared = shared;
    shared.clients.add(this);
    this.once('end', () => this.#ended.resolve());
    // The statement under way fails by itself; without a listener the event would end the process.
    this.on('error', () => undefined);
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: (error: Error | null) => void): void;
  override connect(callback?: (error: Error | null) => void): Promise<pg.Client> | undefined {
    const opened = this.#open();
    if (!callback) return opened;
    opened.then(() => callback(null), callback);
    return undefined;
  }

  override end(): Promise<void>;
  override end(callback: () => void): void;
  override end(callback?: () => void): Promise<void> | undefined {
    const left = this.#leave();
    if (!callback) return left;
    left.then(callback, callback);
    return undefined;
  }

  /** Closes the connection at once unless a statement may run on it: the pool is closed. */
  abandon(): void {
    if (!this.#isReady || this.#leaving !== undefined) this.#destroy();
  }

  async #open(): Promise<this> {
    // A server that has not accepted the connection has no session for it.
    const timer = setTimeout(() => this.#isUnaccepted() && this.#destroy(), connectTimeoutMs);
    try {
      await this.#bounded(super.connect()).finally(() => clearTimeout(timer));
      this.session = await this.#bounded(inspect(this, this.#shared.limits));
      this.#isReady = true;
      return this;
    } catch (error) {
      void this.#leave();
      throw error;
    }
  }

  #leave(): Promise<void> {
    const { clients, slots } = this.#shared;
    if (this.#leaving !== undefined) return this.#leaving;
    slots.take();
    this.#leaving = this.#bounded(this.#endSession()).finally(() => {
      clients.delete(this);
      slots.release();
    });
    return this.#leaving;
  }

  async #endSession(): Promise<void> {
    if (this.readyForQuery === false) {
      void cancelStatement(this);
      const answered = new Promise((resolve) => this.once('drain', () => resolve(undefined)));
      await Promise.race([this.#ended.promise, answered]);
    }
    void super.end();
    await this.#ended.promise;
  }

  /** Closes the socket when the server does not answer. */
  #bounded<T>(answer: Promise<T>): Promise<T> {
    const timer = setTimeout(() => this.#destroy(), holdMs);
    return answer.finally(() => clearTimeout(timer));
  }

  #isUnaccepted(): boolean {
    const { stream } = this.connection;
    return 'connecting' in stream && stream.connecting === true;
  }

  #destroy(): void {
    this.connection.stream.destroy(new Error('timeout expired'));
  }
}
