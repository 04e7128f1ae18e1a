import { Buffer } from 'node:buffer';
import type { Engine } from '../engine.ts';
import { mapMessages, rowsIn, statusIn, tagIn } from './answers.ts';
import type { Batch, BatchReader, Step } from './batches.ts';
import type { Channels, Listener } from './channels.ts';
import { closeStatement, type Message, messageOf, type Problem, query, sync } from './messages.ts';
import { SessionError } from './startup.ts';
import { type EngineSession, ownState, type SessionState } from './state.ts';

/** The state of a session that is relevant for its statements. */
export type SessionExecution = Listener & {
  reader: BatchReader;
  /** Undefined before login. */
  state: SessionState | undefined;
  /** The initial settings, which RESET restores. */
  initialSettings: ReadonlyMap<string, string>;
  /** True if settings may have changed since they were read. */
  isChanged: boolean;
  /** True after a Flush: the engine waits for further messages of the batch. */
  isBatchOpen: boolean;
  /** `idle_in_transaction_session_timeout` of the open transaction in milliseconds; undefined if not set in it. */
  transactionIdleMs: number | undefined;
  end(problem: Problem): void;
};

/** Runs batches on the engine, each with the state of its session. */
export class Execution {
  readonly #engine: Engine;
  readonly #session: EngineSession;
  readonly #channels: Channels;
  /** The status of the last ReadyForQuery: I, T or E. */
  #status = 'I';
  /** Called when roles may have changed. */
  onRoleChange: () => void = () => undefined;

  constructor(engine: Engine, session: EngineSession, channels: Channels) {
    this.#engine = engine;
    this.#session = session;
    this.#channels = channels;
  }

  /** @returns true if the client keeps the engine */
  async run(client: SessionExecution, batch: Batch): Promise<boolean> {
    const isNew = !client.isBatchOpen && !this.#engine.isInTransaction();
    if (isNew && !(await this.#enter(client))) return false;
    if (!client.isBatchOpen) await this.#channels.prepare(batch.listens);
    for (const step of batch.steps) {
      const answer = await this.#engine.execute(step.message);
      if (answer.length > 0) client.answer(this.#forClient(client, step, answer));
    }
    client.isChanged ||= batch.changesSettings.session;
    client.isBatchOpen = batch.end === 'H';
    if (!client.isBatchOpen && !this.#engine.isInTransaction()) return this.#leave(client);
    if (batch.changesSettings.transaction && this.#status === 'T') await this.#readIdleLimit(client);
    return true;
  }

  /** Rolls back open work of the client and closes its prepared statements. */
  async abandon(client: SessionExecution): Promise<boolean> {
    const isOpen = client.isBatchOpen || this.#engine.isInTransaction();
    const statements = client.reader.statements.map(closeStatement);
    for (const message of [...(isOpen ? [sync, query('rollback')] : []), ...statements, sync]) {
      this.#session.note(await this.#engine.execute(message));
    }
    client.isBatchOpen = false;
    this.#channels.refresh();
    return this.#leave(client);
  }

  /** Runs an internal statement. */
  async runOwn(sql: string): Promise<boolean> {
    await this.#session.enter(ownState);
    this.#session.note(await this.#engine.execute(query(sql)));
    return false;
  }

  async #enter(client: SessionExecution): Promise<boolean> {
    if (!client.state) return false;
    try {
      await this.#session.enter(client.state);
      return true;
    } catch (error) {
      endBy(client, error);
      return false;
    }
  }

  /** Reads the state of a client outside of transactions, before another client can run. */
  async #leave(client: SessionExecution): Promise<false> {
    client.transactionIdleMs = undefined;
    await this.#channels.adjust();
    if (!client.isChanged || !client.state) return false;
    client.isChanged = false;
    try {
      const state = await this.#session.read(client.state.isRestricted, client.reader.takeCustomNames());
      const settings = new Map([...client.initialSettings, ...state.settings]);
      client.state = settings.size === state.settings.size ? state : { ...state, settings };
    } catch (error) {
      endBy(client, error);
    }
    return false;
  }

  /** SHOW takes no snapshot, and must not take one for the client's transaction. */
  async #readIdleLimit(client: SessionExecution): Promise<void> {
    const [row] = rowsIn(await this.#engine.execute(query('show idle_in_transaction_session_timeout')));
    client.transactionIdleMs = millisecondsOf(row?.[0] ?? '0');
  }

  #forClient(client: SessionExecution, { notifyTags }: Step, answer: Buffer): Buffer {
    const tags = [...notifyTags];
    return mapMessages(answer, 'ACSZ', (message) => {
      switch (String.fromCharCode(message[0] ?? 0)) {
        case 'A':
          this.#channels.receive(message);
          return [];
        case 'S':
          this.#session.note(message);
          return [message];
        case 'Z':
          this.#status = statusIn(message);
          if (this.#status === 'E') client.transactionIdleMs = undefined;
          return [...this.#channels.settle(client), message];
        default:
          return [this.#completion(message, tags)];
      }
    });
  }

  #completion(message: Message, tags: string[]): Message {
    const tag = tagIn(message);
    if (/\bROLE$|^(?:DO|CALL|GRANT|REVOKE)$/.test(tag)) this.onRoleChange();
    const reported = tag === 'NOTIFY' ? tags.shift() : undefined;
    return reported && reported !== tag ? messageOf('C', Buffer.from(`${reported}\0`)) : message;
  }
}

const endBy = (client: SessionExecution, error: unknown): void => {
  if (!(error instanceof SessionError)) throw error;
  client.end(error);
};

const units: Record<string, number> = { ms: 1, s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000 };

/** @param shown a duration as SHOW returns it, for example `1min`; 0 has no unit */
const millisecondsOf = (shown: string): number => {
  const [, count, unit = 'ms'] = /^(\d+)(\w+)?$/.exec(shown) ?? [];
  return Number(count ?? 0) * (units[unit] ?? 1);
};
