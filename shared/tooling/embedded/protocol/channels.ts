import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { Engine } from '../engine.ts';
import { type Notification, notificationIn } from './answers.ts';
import { type Message, messageOf, query } from './messages.ts';
import { literal } from './state.ts';

/** A session that can listen: its `id`, and the process id visible to clients. */
export type Listener = { id: number; pid: number; channels: Set<string>; answer(bytes: Buffer): void };

/**
 * LISTEN and NOTIFY per client. The engine listens to every channel that any client listens to. LISTEN and UNLISTEN
 * of a client run as a NOTIFY on an internal channel, so that they take effect at COMMIT, are undone by ROLLBACK and
 * ROLLBACK TO, and arrive in order. LISTEN inside a DO block or a function has no effect for any client, and
 * `pg_listening_channels()` returns the channels of the engine.
 */
export class Channels {
  readonly #engine: Engine;
  readonly #listeners: () => Iterable<Listener>;
  readonly #control = `front-${randomUUID()}`;
  /** Channels on which the engine certainly listens. */
  readonly #open = new Set<string>();
  #arrived: Notification[] = [];
  #isStale = false;
  #count = 0;

  constructor(engine: Engine, listeners: () => Iterable<Listener>) {
    this.#engine = engine;
    this.#listeners = listeners;
  }

  async start(): Promise<void> {
    await this.#engine.execute(query(`listen "${this.#control}"`));
  }

  /**
   * @returns the replacement of LISTEN and UNLISTEN; the number makes each one unique, because PostgreSQL drops
   * duplicates
   */
  rewrite(id: number, verb: 'listen' | 'unlisten', channel: string): string {
    return `notify "${this.#control}", ${literal(`${id} ${++this.#count} ${verb} ${channel}`)}`;
  }

  /** Listens before the client's statement runs, because its transaction may notify itself. */
  async prepare(channels: readonly string[]): Promise<void> {
    for (const channel of channels) {
      if (this.#open.has(channel)) continue;
      await this.#engine.execute(query(`listen ${quote(channel)}`));
      if (!this.#engine.isInTransaction()) this.#open.add(channel);
    }
  }

  /** Records a NotificationResponse of the engine. */
  receive(message: Message): void {
    this.#arrived.push(notificationIn(message));
  }

  /**
   * Delivers the received notifications when the engine is ready for the next query of the sender.
   * @returns the notifications for the sender itself
   */
  settle(sender: Listener): Message[] {
    const arrived = this.#arrived;
    this.#arrived = [];
    const [commands, notifications] = [
      arrived.filter(this.#isCommand),
      arrived.filter((n) => !this.#isCommand(n)),
    ];
    for (const { payload } of commands) applyCommand(sender, payload);
    this.#isStale ||= commands.length > 0;
    const own: Message[] = [];
    for (const { channel, payload } of notifications) {
      const message = notificationOf(sender.pid, channel, payload);
      for (const listener of this.#listeners()) {
        if (!listener.channels.has(channel)) continue;
        if (listener === sender) own.push(message);
        else listener.answer(message);
      }
    }
    return own;
  }

  /** Must be called after a listener has left. */
  refresh(): void {
    this.#isStale = true;
  }

  /** Listens to exactly the channels of all clients. Must be called outside of transactions. */
  async adjust(): Promise<void> {
    if (!this.#isStale) return;
    this.#isStale = false;
    const required = new Set([...this.#listeners()].flatMap(({ channels }) => [...channels]));
    await this.prepare([...required]);
    for (const channel of this.#open) {
      if (required.has(channel)) continue;
      await this.#engine.execute(query(`unlisten ${quote(channel)}`));
      this.#open.delete(channel);
    }
  }

  readonly #isCommand = ({ channel }: Notification): boolean => channel === this.#control;
}

/** Commands of other sessions cannot be included, because only the sender's transaction has ended. */
function applyCommand(sender: Listener, payload: string): void {
  const [, id, verb, channel = ''] = /^(\d+) \d+ (\w+) (.*)$/s.exec(payload) ?? [];
  if (Number(id) !== sender.id) return;
  if (verb === 'listen') sender.channels.add(channel);
  else if (channel === '*') sender.channels.clear();
  else sender.channels.delete(channel);
}

function notificationOf(pid: number, channel: string, payload: string): Message {
  const head = Buffer.alloc(4);
  head.writeInt32BE(pid);
  return messageOf('A', Buffer.concat([head, Buffer.from(`${channel}\0${payload}\0`)]));
}

const quote = (identifier: string): string => `"${identifier.replaceAll('"', '""')}"`;
