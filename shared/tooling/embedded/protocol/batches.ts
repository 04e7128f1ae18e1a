import { Buffer } from 'node:buffer';
import { type Message, messageOf, readText, typeOf } from './messages.ts';
import { type Analysis, analyse, type RewriteListen } from './statements.ts';

export type Step = {
  message: Message;
  /** Command tags to report instead of NOTIFY, in order. */
  notifyTags: readonly string[];
};

/** Messages up to one that requires a response. They run as a unit, so that no part of a batch takes effect alone. */
export type Batch = {
  steps: Step[];
  /** The type of the last message: Q, F, S, or H (Flush), which leaves the batch open until a Sync. */
  end: string;
  changesSettings: Analysis['changesSettings'];
  /** Channels of its LISTEN statements. */
  listens: string[];
};

const batchEnds: readonly string[] = ['Q', 'S', 'H', 'F'];
const unchanged = { session: false, transaction: false };
const nothing: Analysis = { text: '', changesSettings: unchanged, listens: [], notifyTags: [] };
const dotted = /(?<![\w$])"?[a-z_][\w$]*"?(?:\."?[a-z_][\w$]*"?)+/gi;

/**
 * Collects the messages of one client into batches. Names of prepared statements get a prefix, because all clients
 * share a namespace.
 */
export class BatchReader {
  readonly #prefix: string;
  readonly #rewriteListen: RewriteListen;
  readonly #statements = new Map<string, Analysis>();
  readonly #portals = new Map<string, Analysis>();
  #batch = emptyBatch();
  #customNames = new Set<string>();

  constructor(prefix: string, rewriteListen: RewriteListen) {
    this.#prefix = prefix;
    this.#rewriteListen = rewriteListen;
  }

  /** Names of this client's prepared statements in the engine. */
  get statements(): string[] {
    return [...this.#statements.keys()].filter((name) => name !== '');
  }

  /**
   * @returns names of the form `a.b` in texts that changed settings since the last call, which may be customized
   * options
   */
  takeCustomNames(): Set<string> {
    const names = this.#customNames;
    this.#customNames = new Set();
    return names;
  }

  /** @returns the batch completed by the message */
  add(message: Message): Batch | undefined {
    const type = typeOf(message);
    this.#batch.steps.push(this.#stepOf(type, message));
    if (!batchEnds.includes(type)) return undefined;
    const batch = { ...this.#batch, end: type };
    this.#batch = emptyBatch();
    return batch;
  }

  /** Discards the messages of an incomplete batch. */
  discard(): void {
    this.#batch = emptyBatch();
  }

  #stepOf(type: string, message: Message): Step {
    switch (type) {
      case 'Q':
        return this.#query(message);
      case 'P':
        return this.#parse(message);
      case 'B':
        return this.#bind(message);
      case 'D':
      case 'C':
        return this.#describeOrClose(type, message);
      case 'E':
        return { message, notifyTags: this.#portals.get(readText(message, 5)[0])?.notifyTags ?? [] };
      default:
        return { message, notifyTags: [] };
    }
  }

  #query(message: Message): Step {
    const [text] = readText(message, 5);
    const analysis = this.#note(analyse(text, this.#rewriteListen), message);
    const { notifyTags } = analysis;
    return { message: analysis.text === text ? message : messageOf('Q', `${analysis.text}\0`), notifyTags };
  }

  #parse(message: Message): Step {
    const [name, middle] = readText(message, 5);
    const [text, end] = readText(message, middle);
    const analysis = this.#note(analyse(text, this.#rewriteListen), message);
    const ownName = this.#rename(name);
    this.#statements.set(ownName, analysis);
    const head = Buffer.from(`${ownName}\0${analysis.text}\0`);
    return { message: messageOf('P', Buffer.concat([head, message.subarray(end)])), notifyTags: [] };
  }

  #bind(message: Message): Step {
    const [portal, middle] = readText(message, 5);
    const [name, end] = readText(message, middle);
    const ownName = this.#rename(name);
    const analysis = this.#statements.get(ownName) ?? nothing;
    this.#portals.set(portal, this.#note(analysis, message));
    const head = Buffer.from(`${portal}\0${ownName}\0`);
    return { message: messageOf('B', Buffer.concat([head, message.subarray(end)])), notifyTags: [] };
  }

  #describeOrClose(type: string, message: Message): Step {
    const [given] = readText(message, 6);
    if (message[5] !== 'S'.charCodeAt(0)) {
      if (type === 'C') this.#portals.delete(given);
      return { message, notifyTags: [] };
    }
    const name = this.#rename(given);
    if (type === 'C') this.#statements.delete(name);
    return { message: messageOf(type, `S${name}\0`), notifyTags: [] };
  }

  #rename(name: string): string {
    return name && this.#prefix + name;
  }

  #note(analysis: Analysis, message: Message): Analysis {
    this.#batch.listens.push(...analysis.listens);
    const changes = this.#batch.changesSettings;
    changes.transaction ||= analysis.changesSettings.transaction;
    if (!analysis.changesSettings.session) return analysis;
    changes.session = true;
    for (const [name] of message.toString('latin1', 5).matchAll(dotted)) {
      this.#customNames.add(name.replaceAll('"', '').toLowerCase());
    }
    return analysis;
  }
}

const emptyBatch = (): Batch => ({ steps: [], end: '', changesSettings: { ...unchanged }, listens: [] });
