import { type Db, readTogether } from '../../db/client.ts';
import {
  type ChangePage,
  type ChangePosition,
  changePageIn,
  changesAfter,
  mostChanges,
  readChanges,
} from '../../db/repositories/changes/changes.ts';
import { liveTokens } from '../../db/repositories/identity/login/live-principals.ts';
import { LivePrincipals } from '../access/live-principals.ts';
import type { Clock } from '../kernel/clock.ts';
import { createNotifier, type Notifier } from '../kernel/concurrency/notifier.ts';
import { AppError } from '../kernel/errors.ts';
import type { Log } from '../kernel/observability/log.ts';
import type { PortalType } from '../modules.ts';
import { ChangeStream, type StreamRequest } from './change-stream.ts';
import { endOf } from './cursor.ts';
import { bytesOf, changeText } from './event-text.ts';
import { type ConnectNotices, NoticeWatch } from './notice-watch.ts';

export type HubParts = {
  db: Db;
  clock: Clock;
  portalType: PortalType;
  log: Pick<Log, 'warn' | 'info'>;
  /** Connects for notifications of writes. Without it, changes are found by polling. */
  connectNotices?: ConnectNotices | undefined;
  limits?: Partial<typeof defaultLimits>;
};

const defaultLimits = {
  /** Streams of one user or peer. */
  perOwner: 20,
  /** Streams of the process. */
  total: 1_000,
  /** Milliseconds after which a stream ends, so that its client opens another one. */
  lastsMs: Number.POSITIVE_INFINITY,
  /** Interval of the reads in milliseconds. Access that has ended is noticed with the next read. */
  everyMs: 2_000,
  /** Interval of the comments that keep a connection open, in milliseconds. */
  beatMs: 20_000,
  /** Milliseconds in which a client may read nothing of what waits for it. */
  silentMs: 60_000,
};

/** After a notification further writes may follow without one, because a process sends at most one per second. */
const watchful = { everyMs: 500, forMs: 2_000, pauseMs: 100 };
/** Reads that may fail in sequence before the streams end, because the access of their clients cannot be checked. */
const mostFailures = 4;

/**
 * All open streams of changes of a process. While a stream is open, one reader sends one round trip every two seconds and
 * after notifications: it reads the changes of all clients, and checks the access of all clients in one statement.
 */
export class ChangeHub {
  readonly #parts: HubParts;
  readonly #limits: typeof defaultLimits;
  readonly #streams = new Set<ChangeStream>();
  readonly #principals: LivePrincipals;
  readonly #signals: Notifier = createNotifier();
  #isRunning = false;
  #head: ChangePosition | undefined;
  #failures = 0;
  #beatAt = 0;
  #watchfulUntil = 0;

  constructor(parts: HubParts) {
    this.#parts = parts;
    this.#limits = { ...defaultLimits, ...parts.limits };
    this.#principals = new LivePrincipals(parts.portalType);
  }

  size = (): number => this.#streams.size;

  /** @throws AppError `rate_limited` or `overloaded` beyond the limits */
  open(request: StreamRequest): ReadableStream<Uint8Array> {
    if (this.#signals.hasEnded() || this.#streams.size >= this.#limits.total)
      throw new AppError('overloaded', 'Too many streams of changes are open');
    const own = [...this.#streams].filter((stream) => stream.request.ownerId === request.ownerId);
    if (own.length >= this.#limits.perOwner)
      throw new AppError('rate_limited', 'The caller has too many open streams of changes', {
        retry_after_s: 10,
      });
    const stream = new ChangeStream(request, {
      read: (after) => this.#readFor(stream, after),
      onEnd: () => {
        this.#streams.delete(stream);
        this.#signals.notify('round');
      },
    });
    this.#streams.add(stream);
    if (!this.#isRunning) void this.#run();
    return stream.body;
  }

  /** Ends all streams. Used at shutdown. */
  end(): void {
    this.#signals.end();
    this.endAll();
  }

  /** Ends all streams; their clients can open others. */
  endAll(): void {
    for (const stream of [...this.#streams]) stream.end();
  }

  /** Reads for one stream, not before the reader has its position: what follows it is announced. */
  async #readFor(stream: ChangeStream, after: ChangePosition | undefined): Promise<ChangePage> {
    const begun = this.#signals.listen('begun');
    try {
      while (!this.#head && this.#streams.has(stream)) await begun.next(1_000, never);
    } finally {
      begun.close();
    }
    return readChanges(this.#parts.db, after);
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    this.#failures = 0;
    this.#beatAt = performance.now();
    const round = this.#signals.listen('round');
    const notices = new NoticeWatch(this.#parts, () => {
      this.#watchfulUntil = performance.now() + watchful.forMs;
      this.#signals.notify('round');
    });
    while (this.#streams.size > 0) {
      const isFull = await this.#round();
      if (this.#streams.size === 0 || isFull) continue;
      const isWatchful = performance.now() < this.#watchfulUntil;
      await round.next(isWatchful ? watchful.everyMs : this.#limits.everyMs, never);
      if (this.#streams.size > 0) await pause(watchful.pauseMs);
    }
    notices.close();
    round.close();
    this.#head = undefined;
    this.#isRunning = false;
  }

  /** @returns true if further changes can be read at once; never rejects */
  async #round(): Promise<boolean> {
    try {
      this.#visitStreams();
      const isFull = await this.#read();
      this.#failures = 0;
      return isFull;
    } catch (error) {
      if (++this.#failures === 1) this.#parts.log.warn('changes cannot be read', { error });
      if (this.#failures > mostFailures) this.endAll();
      return false;
    }
  }

  async #read(): Promise<boolean> {
    const { db, clock } = this.#parts;
    const now = clock();
    const streams = [...this.#streams];
    const tokens = new Map(streams.map(({ request: { token } }) => [token.hash, token.kind]));
    const watched = this.#principals.watched(tokens);
    const head = this.#head;
    const [changes, live] = await readTogether(db, (h) => [
      changesAfter(h, head),
      liveTokens(h, watched, now),
    ]);
    const principals = this.#principals.take(watched, live, now);
    for (const stream of streams) {
      const principal = principals.get(stream.request.token.hash);
      if (principal) stream.renew(principal);
      else stream.end();
    }
    return this.#announce(changePageIn(changes), head);
  }

  #announce(page: ChangePage, head: ChangePosition | undefined): boolean {
    const { epoch, items, removedTo } = page;
    const last = items.at(-1);
    const isFull = items.length === mostChanges;
    this.#head = last && isFull ? { xid: last.xid, seq: last.seq } : endOf(page);
    if (!head) this.#signals.notify('begun');
    else if (head.xid <= removedTo) for (const stream of this.#streams) stream.reset(epoch, this.#head);
    const changes = items.map((change) => ({ change, text: bytesOf(changeText(epoch, change)) }));
    const announcement = { epoch, changes, end: this.#head };
    if (changes.length > 0) for (const stream of this.#streams) stream.announce(announcement);
    return isFull;
  }

  #cutSilent(stream: ChangeStream): void {
    this.#parts.log.info('a stream of changes is cut, because its client does not read', {
      owner_id: stream.request.ownerId,
    });
    stream.cut(new AppError('request_timeout'));
  }

  /** Ends streams that are over, and sends what waits for the others. */
  #visitStreams(): void {
    const isBeat = performance.now() - this.#beatAt >= this.#limits.beatMs;
    if (isBeat) this.#beatAt = performance.now();
    for (const stream of [...this.#streams]) {
      if (!stream.isInUse() || stream.ageMs() > this.#limits.lastsMs) stream.end();
      else if (stream.waitsMs() > this.#limits.silentMs) this.#cutSilent(stream);
      else if (isBeat) stream.beat();
      stream.flush();
    }
  }
}

const never = new AbortController().signal;

const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));
