import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { type Batch, BatchReader } from './batches.ts';
import type { SessionExecution } from './execution.ts';
import type { Limits } from './limits.ts';
import { errorMessage, type Message, messageOf, type Problem, readyForQuery, typeOf } from './messages.ts';
import type { Client, Job } from './queue.ts';
import type { Login, SessionState } from './state.ts';
import type { RewriteListen } from './statements.ts';

/** Password and COPY messages, which are never requested. */
const ignored: readonly string[] = ['d', 'c', 'f', 'p'];

/** One client: its connection, its session state, and its pending statements. */
export class Session implements Client, SessionExecution {
  readonly socket: Socket;
  /** Unique per session. */
  readonly id: number;
  /**
   * The process id of the engine, as returned by `pg_backend_pid()`. A client with another process id would assume a
   * pooler.
   */
  readonly pid: number;
  readonly secret = randomBytes(4);
  readonly reader: BatchReader;
  readonly channels = new Set<string>();
  jobs: Job[] = [];
  waitsSince = performance.now();
  state: SessionState | undefined;
  initialSettings: ReadonlyMap<string, string> = new Map();
  isChanged = false;
  isBatchOpen = false;
  transactionIdleMs: number | undefined;
  onBatch: (batch: Batch) => void = () => undefined;
  onEnd: () => void = () => undefined;
  /** True if it holds the engine or waits for it. */
  isRunning: () => boolean = () => true;
  /** True after a refused batch that ended with a Flush: PostgreSQL ignores all messages up to the next Sync. */
  #isSkipping = false;
  #hasEnded = false;

  constructor(socket: Socket, { id, pid }: { id: number; pid: number }, rewriteListen: RewriteListen) {
    this.socket = socket;
    this.id = id;
    this.pid = pid;
    this.reader = new BatchReader(`c${id}_`, rewriteListen);
  }

  /** Answers a successful login. */
  begin({ state, reported }: Login): void {
    this.state = state;
    this.initialSettings = state.settings;
    const key = Buffer.alloc(8);
    key.writeInt32BE(this.pid);
    this.secret.copy(key, 4);
    const parameters = [...reported].map(([name, value]) => messageOf('S', `${name}\0${value}\0`));
    const accepted = messageOf('R', Buffer.alloc(4));
    this.answer(Buffer.concat([accepted, ...parameters, messageOf('K', key), readyForQuery('I')]));
  }

  answer(bytes: Buffer): void {
    if (this.socket.writable) this.socket.write(bytes);
  }

  receive(message: Message): void {
    if (this.#hasEnded) return;
    const type = typeOf(message);
    if (type === 'X') return void this.socket.end();
    if (ignored.includes(type)) return;
    const batch = this.#isSkipping ? this.#skip(type) : this.reader.add(message);
    if (batch && !this.#answerEmpty(batch)) this.onBatch(batch);
  }

  /** Answers a batch that does not run. It was waiting, so its client is outside of transactions. */
  refuse(batch: Batch, problem: Problem): void {
    const { end } = batch;
    if (!isEmpty(batch)) this.answer(errorMessage('ERROR', problem));
    this.#isSkipping = true;
    if (end !== 'H') this.#skip('S');
    else this.reader.discard();
    while (this.#isSkipping && this.jobs.length > 0) this.#skip(this.jobs.shift()?.end ?? '');
  }

  /**
   * Ends the session with a FATAL error. Pending messages do not run, because they may belong to a transaction that
   * is rolled back.
   */
  end(problem: Problem): void {
    this.#hasEnded = true;
    this.answer(errorMessage('FATAL', problem));
    this.onEnd();
    this.socket.destroySoon();
  }

  get limits(): Limits {
    const setting = (name: string) => this.state?.settings.get(name);
    const idle = this.transactionIdleMs ?? setting('idle_in_transaction_session_timeout');
    return {
      statementMs: Number(setting('statement_timeout') ?? 0),
      lockMs: Number(setting('lock_timeout') ?? 0),
      // For PostgreSQL, a client that holds the engine by a Flush is not idle.
      idleMs: idle === undefined || this.isBatchOpen ? undefined : Number(idle),
    };
  }

  /** A Sync without a preceding message is answered immediately, unless other batches are pending. */
  #answerEmpty(batch: Batch): boolean {
    if (!isEmpty(batch) || this.isRunning()) return false;
    this.answer(readyForQuery('I'));
    return true;
  }

  /** @returns no batch */
  #skip(type: string): undefined {
    if (type === 'S') {
      this.#isSkipping = false;
      this.answer(readyForQuery('I'));
    }
    return undefined;
  }
}

const isEmpty = ({ steps, end }: Batch): boolean => end === 'S' && steps.length === 1;
