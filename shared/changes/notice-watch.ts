import type { NoticeConnection } from '../../db/postgres/listen.ts';
import type { Log } from '../kernel/observability/log.ts';

/** Opens a connection that receives notifications of writes; see `listenForNotices`. */
export type ConnectNotices = (onNotice: (payload: string) => void) => Promise<NoticeConnection>;

const longestPauseMs = 60_000;

/**
 * Receives notifications of writes until it is closed. A lost connection is opened again, after growing pauses; meanwhile
 * changes are found by polling.
 */
export class NoticeWatch {
  readonly #connect: ConnectNotices | undefined;
  readonly #log: Pick<Log, 'info'>;
  readonly #onNotice: () => void;
  #connection: NoticeConnection | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor(
    { connectNotices, log }: { connectNotices?: ConnectNotices | undefined; log: Pick<Log, 'info'> },
    onNotice: () => void,
  ) {
    this.#connect = connectNotices;
    this.#log = log;
    this.#onNotice = onNotice;
    void this.#open(1_000);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#connection?.close();
  }

  async #open(pauseMs: number): Promise<void> {
    if (!this.#connect) return;
    try {
      // Other notifications than those of work have a payload.
      const connection = await this.#connect((payload) => payload === '' && this.#onNotice());
      if (this.#isClosed) return connection.close();
      this.#connection = connection;
      await connection.ended;
      if (!this.#isClosed) this.#retry(1_000);
    } catch (error) {
      if (pauseMs === 1_000) this.#log.info('changes are found by polling', { error });
      if (!this.#isClosed) this.#retry(Math.min(longestPauseMs, pauseMs * 2));
    }
  }

  #retry(pauseMs: number): void {
    this.#timer = setTimeout(() => void this.#open(pauseMs), pauseMs).unref();
  }
}
