import {
  type Change,
  type ChangePage,
  type ChangePosition,
  mostChanges,
} from '../../db/repositories/changes/changes.ts';
import type { TokenKind } from '../../db/repositories/identity/login/live-principals.ts';
import type { SignedIn } from '../context/principal.ts';
import { endOf, isAfter, isContinuable, positionIn } from './cursor.ts';
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
export type EncodedChange = { change: Change; bytes: Uint8Array };

type Parts = {
  /** Reads changes for this stream, after the first read of the reader of all streams. */
  read: (after: ChangePosition | undefined) => Promise<ChangePage>;
  onEnd: () => void;
};

/** Bytes that may wait for a client before it is cut. */
const mostBehind = 262_144;
/** Bytes that are read ahead for a client. */
const readAhead = 16_384;
/** Changes that may arrive while a stream reads those before them. */
const mostEarly = 2_000;
/** Pages of earlier changes, after which it is better to read everything again. */
const mostPages = 10;

/**
 * The stream of one client. First it reads what was changed after the cursor of the client; changes that the reader of
 * all streams announces meanwhile wait. Then it passes on what is announced.
 */
export class ChangeStream {
  readonly request: StreamRequest;
  readonly body: ReadableStream<Uint8Array>;
  readonly #parts: Parts;
  readonly #openedAt = performance.now();
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #isVisible: Visibility;
  /** Undefined once the stream passes on what is announced. */
  #early: EncodedChange[] | undefined = [];
  #position: ChangePosition | undefined;
  #pages = 0;
  #wasRead = false;
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
      { highWaterMark: 0, size: (chunk) => chunk?.byteLength ?? 0 },
    );
  }

  /** False for a response that was discarded: its body was not read within ten seconds. */
  isInUse = (): boolean => this.#wasRead || performance.now() - this.#openedAt < 10_000;
  ageMs = (): number => performance.now() - this.#openedAt;

  /** What the next changes are compared with. */
  renew(principal: SignedIn): void {
    this.#isVisible = visibilityFor(principal);
  }

  announce(changes: readonly EncodedChange[]): void {
    if (this.#early) {
      this.#early.push(...changes);
      if (this.#early.length > mostEarly) this.end();
      return;
    }
    for (const { change, bytes } of changes) if (this.#isVisible(change)) this.#send(bytes);
  }

  /** Changes are missing. A stream that has not begun finds that out by itself. */
  reset(epoch: string, position: ChangePosition): void {
    if (!this.#early) this.#send(bytesOf(resetText(epoch, position)));
  }

  beat(): void {
    if (this.#wasRead) this.#send(heartbeat);
  }

  /** Ends the response after what was sent. */
  end(): void {
    if (this.#hasEnded) return;
    this.#finish();
    this.#controller?.close();
  }

  #finish(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#early = undefined;
    this.#parts.onEnd();
  }

  /** Cuts a client that does not read. */
  #send(bytes: Uint8Array): void {
    if (this.#hasEnded) return;
    if (-(this.#controller?.desiredSize ?? 0) > mostBehind) {
      this.#finish();
      this.#controller?.error(new Error('the client does not read the stream'));
    } else this.#controller?.enqueue(bytes);
  }

  async #pull(): Promise<void> {
    if (!this.#wasRead) {
      this.#wasRead = true;
      this.#send(bytesOf(openingText));
    }
    try {
      // A page without a visible change enqueues nothing, so that no further pull would follow.
      while (this.#early && -(this.#controller?.desiredSize ?? 0) < readAhead) await this.#catchUp();
    } catch (error) {
      // A rejection would end the body without telling the hub, which would then write to a closed stream.
      if (this.#hasEnded) return;
      this.#finish();
      this.#controller?.error(error);
    }
  }

  async #catchUp(): Promise<void> {
    const { after } = this.request;
    const start = after === undefined ? undefined : positionIn(after);
    const from = this.#position ?? start;
    const page = await this.#parts.read(from);
    if (this.#hasEnded) return;
    const isKnown = from !== undefined && isContinuable({ epoch: start?.epoch ?? '', ...from }, page);
    if (!isKnown || ++this.#pages > mostPages) {
      this.#send(bytesOf(resetText(page.epoch, endOf(page))));
      return this.#goLive(endOf(page));
    }
    const visible = page.items.filter(this.#isVisible);
    if (visible.length > 0)
      this.#send(bytesOf(visible.map((change) => changeText(page.epoch, change)).join('')));
    const last = page.items.at(-1);
    if (last) this.#position = { xid: last.xid, seq: last.seq };
    if (page.items.length < mostChanges) this.#goLive(endOf(page));
  }

  #goLive(position: ChangePosition): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    if (!this.#hasEnded) this.announce(early.filter(({ change }) => isAfter(change, position)));
  }
}
