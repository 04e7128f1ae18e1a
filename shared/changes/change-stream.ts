import {
  type Change,
  type ChangePage,
  type ChangePosition,
  mostChanges,
} from '../../db/repositories/changes/changes.ts';
import type { TokenKind } from '../../db/repositories/identity/login/live-principals.ts';
import type { SignedIn } from '../context/principal.ts';
import { endOf, isAfter, isContinuable, positionIn } from './cursor.ts';
import { EventQueue } from './event-queue.ts';
import { bytesOf, changeText, heartbeat, openingText, resetText } from './event-text.ts';
import { type Visibility, visibilityFor } from './visibility.ts';

/** Who reads a stream, by the hash of the token, and from where. */
export type StreamRequest = {
  token: { hash: string; kind: TokenKind };
  /** Streams are limited per owner. */
  ownerId: string;
  principal: SignedIn;
  /** The cursor behind the last change that the client has seen. */
  after: string | undefined;
};

/** A change with its text, which all streams share. */
type EncodedChange = { change: Change; text: Uint8Array };

/** Changes in their order, and the place behind them. */
export type Announcement = { epoch: string; changes: readonly EncodedChange[]; end: ChangePosition };

type Parts = {
  /** Reads changes for this stream, after the first read of the reader of all streams. */
  read: (after: ChangePosition | undefined) => Promise<ChangePage>;
  onEnd: () => void;
};

/** Changes that may arrive while a stream reads those before them. */
const mostEarly = 2_000;
/** Pages of earlier changes, after which it is better to read everything again. */
const mostPages = 10;

/**
 * The stream of one client. First it reads what was changed after the cursor of the client; changes that the reader of
 * all streams announces meanwhile wait. Then it passes on what is announced. What waits for a client is bounded: above the
 * bound a `reset` replaces it.
 */
export class ChangeStream {
  readonly request: StreamRequest;
  readonly body: ReadableStream<Uint8Array>;
  readonly #parts: Parts;
  readonly #openedAt = performance.now();
  readonly #queue = new EventQueue();
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #isVisible: Visibility;
  /** What was announced before the stream has caught up; undefined once it passes on what is announced. */
  #early: Announcement[] | undefined = [];
  #hasMissed = false;
  #position: ChangePosition | undefined;
  #pages = 0;
  #isCatchingUp = false;
  #wasRead = false;
  /** The client waits for the next event. */
  #isWanted = false;
  #waitsSince: number | undefined;
  #hasEnded = false;

  constructor(request: StreamRequest, parts: Parts) {
    this.request = request;
    this.#parts = parts;
    this.#isVisible = visibilityFor(request.principal);
    this.body = new ReadableStream(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#pull(),
        cancel: () => this.#finish(),
      },
      { highWaterMark: 0 },
    );
  }

  /** False for a response that was discarded: its body was not read within ten seconds. */
  isInUse = (): boolean => this.#wasRead || performance.now() - this.#openedAt < 10_000;
  ageMs = (): number => performance.now() - this.#openedAt;
  /** Milliseconds in which the client has read nothing of what waits for it. */
  waitsMs = (): number => (this.#waitsSince === undefined ? 0 : performance.now() - this.#waitsSince);

  /** What the next changes are compared with. */
  renew(principal: SignedIn): void {
    this.#isVisible = visibilityFor(principal);
  }

  announce(announcement: Announcement): void {
    if (!this.#early) this.#pass(announcement);
    else {
      this.#early.push(announcement);
      this.#hasMissed ||= countOf(this.#early) > mostEarly;
      if (this.#hasMissed) this.#early = [{ ...announcement, changes: [] }];
    }
  }

  /** Changes are missing. A stream that has not begun finds that out by itself. */
  reset(epoch: string, position: ChangePosition): void {
    if (this.#early) return;
    this.#queue.reset(bytesOf(resetText(epoch, position)));
    this.flush();
  }

  beat(): void {
    if (this.#isWanted) this.#send(heartbeat);
    else if (this.#wasRead) this.#noteWaiting();
  }

  /** Sends what waits, if the client reads. */
  flush(): void {
    if (this.#hasEnded || this.#queue.isEmpty()) return;
    if (!this.#isWanted) this.#noteWaiting();
    else {
      const bytes = this.#queue.take();
      if (bytes) this.#send(bytes);
    }
  }

  /** Ends the response after what was sent. */
  end(): void {
    if (this.#hasEnded) return;
    this.#finish();
    this.#controller?.close();
  }

  /** Ends the response at once, because the client does not read it or nothing can be read for it. */
  cut(reason: unknown): void {
    if (this.#hasEnded) return;
    this.#finish();
    this.#controller?.error(reason);
  }

  #noteWaiting(): void {
    if (this.#waitsSince === undefined) this.#waitsSince = performance.now();
  }

  #finish(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#early = undefined;
    this.#parts.onEnd();
  }

  #send(bytes: Uint8Array): void {
    this.#isWanted = false;
    this.#controller?.enqueue(bytes);
  }

  #pass({ epoch, changes, end }: Announcement): void {
    if (this.#hasEnded) return;
    const known = this.#position;
    const isNew = known ? ({ change }: EncodedChange) => isAfter(change, known) : () => true;
    let room = this.#queue.room();
    for (const one of this.#queue.isReset() ? [] : changes) {
      if (!isNew(one) || !this.#isVisible(one.change)) continue;
      room -= one.text.length;
      if (room < 0) break;
      this.#queue.add(one.text);
    }
    // A reset that still waits covers these changes as well.
    if (room < 0 || this.#queue.isReset()) this.#queue.reset(bytesOf(resetText(epoch, end)));
    this.flush();
  }

  #pull(): void {
    this.#isWanted = true;
    this.#waitsSince = undefined;
    if (!this.#wasRead) {
      this.#wasRead = true;
      this.#queue.add(bytesOf(openingText));
    }
    this.flush();
    if (this.#early && !this.#isCatchingUp) void this.#catchUp();
  }

  /** Reads pages until one has a visible change. The next pull reads on. */
  async #catchUp(): Promise<void> {
    this.#isCatchingUp = true;
    try {
      while (this.#early && this.#isWanted) await this.#readPage();
    } catch (error) {
      this.cut(error);
    } finally {
      this.#isCatchingUp = false;
    }
  }

  async #readPage(): Promise<void> {
    const { after } = this.request;
    const start = after === undefined ? undefined : positionIn(after);
    const from = this.#position ?? start;
    const page = await this.#parts.read(from);
    if (this.#hasEnded) return;
    const isKnown = from !== undefined && isContinuable({ epoch: start?.epoch ?? '', ...from }, page);
    if (!isKnown || ++this.#pages > mostPages) {
      this.#queue.reset(bytesOf(resetText(page.epoch, endOf(page))));
      return this.#goLive(endOf(page));
    }
    for (const change of page.items)
      if (this.#isVisible(change)) this.#queue.add(bytesOf(changeText(page.epoch, change)));
    const last = page.items.at(-1);
    if (last) this.#position = { xid: last.xid, seq: last.seq };
    if (page.items.length < mostChanges) this.#goLive(endOf(page));
    else this.flush();
  }

  /** What is announced from now on, and has been meanwhile, can be older than the position. */
  #goLive(position: ChangePosition): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    this.#position = position;
    const last = early.at(-1);
    if (this.#hasMissed && last) this.reset(last.epoch, last.end);
    for (const announcement of early) this.#pass(announcement);
    this.flush();
  }
}

const countOf = (announcements: readonly Announcement[]): number =>
  announcements.reduce((sum, { changes }) => sum + changes.length, 0);
