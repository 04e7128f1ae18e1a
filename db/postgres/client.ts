import pg from 'pg';
import { cancelStatement } from './cancel.ts';
import { preparedNames } from './prepared.ts';
import { readSession, type Session, startupOptions, type Timeouts } from './session/limits.ts';
import type { Slots } from './slots.ts';

/** State shared by the connections of a pool. */
export type PoolState = {
  limits: Timeouts;
  /** Start-up options of the URL. */
  urlOptions: string | undefined;
  /** False after the server or a pooler has rejected the start-up options. */
  sendsOptions: boolean;
  slots: Slots;
  /** All clients that may have a session on the server. */
  clients: Set<GuardedClient>;
};

/** Timeout of the TCP connection in milliseconds. */
const connectTimeoutMs = 3_000;
/** Milliseconds after which the socket of an unresponsive connection is destroyed. */
const holdMs = 60_000;

/**
 * A client that occupies a slot of its pool until the server has ended its session. An abandoned statement is
 * cancelled, and its connection is never reused, because a late CancelRequest could cancel the next statement.
 */
export class GuardedClient extends pg.Client {
  // Set by `pg`, but missing in its declarations.
  declare readonly processID: number | null;
  declare readonly secretKey: number | null;
  declare readonly readyForQuery: boolean | undefined;
  /** If true, `pg` sends statements without waiting for previous results. */
  declare pipeline: boolean;
  declare readonly connection: pg.Connection & { readonly parsedStatements: Record<string, string> };
  session: Session = { isLimited: false, isByOptions: false, isPooled: false };
  readonly #shared: PoolState;
  readonly #prepared = preparedNames();
  /** Resolves when both sides have closed the connection. */
  readonly #ended = Promise.withResolvers<void>();
  #isReady = false;
  #leaving: Promise<void> | undefined;

  constructor(config: pg.ClientConfig, shared: PoolState) {
    const { limits, urlOptions, sendsOptions } = shared;
    const options = sendsOptions ? startupOptions(limits, urlOptions) : urlOptions;
    super({ ...config, ...(options !== undefined && { options }) });
    this.#shared = shared;
    shared.clients.add(this);
    this.once('end', () => this.#ended.resolve());
    // The running statement fails by itself. Without a listener the event would end the process.
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

  /** Notes the use of a prepared statement. One that was not used for a long time is closed with the next message. */
  prepare(name: string | undefined): void {
    if (name === undefined || this.#prepared.get(name)) return;
    const dropped = this.#prepared.set(name, true);
    if (dropped === undefined) return;
    this.connection.close({ type: 'S', name: dropped }, true);
    delete this.connection.parsedStatements[dropped];
  }

  /** Closes the connection immediately unless a statement may be running. Used when the pool is closed. */
  abandon(): void {
    if (!this.#isReady || this.#leaving !== undefined) this.#destroy();
  }

  async #open(): Promise<this> {
    // A server that has not accepted the TCP connection has no session for it.
    const timer = setTimeout(() => this.#isUnaccepted() && this.#destroy(), connectTimeoutMs);
    try {
      await this.#bounded(super.connect()).finally(() => clearTimeout(timer));
      this.session = await this.#bounded(readSession(this, this.#shared.limits));
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

  /** Destroys the socket if the server does not respond. */
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
