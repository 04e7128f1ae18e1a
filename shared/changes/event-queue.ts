import { concatenate } from '../kernel/http/bytes.ts';

/** Bytes of announced changes that may wait for a client. Above them it gets one `reset` instead. */
const mostWaiting = 65_536;
/** Milliseconds between two events `reset` of a stream: each makes its client read everything again. */
const resetEveryMs = 2_000;

/** The events that wait until the client of one stream reads. Their texts are shared with other streams. */
export class EventQueue {
  #texts: Uint8Array[] = [];
  #bytes = 0;
  #isReset = false;
  #lastResetAt = Number.NEGATIVE_INFINITY;

  /** All that is added while it is true is covered by the reset. */
  isReset = (): boolean => this.#isReset;
  isEmpty = (): boolean => this.#texts.length === 0;
  /** Bytes that can be added before a reset is better. */
  room = (): number => mostWaiting - this.#bytes;

  add(text: Uint8Array): void {
    this.#texts.push(text);
    this.#bytes += text.length;
  }

  /** Replaces everything that waits. */
  reset(text: Uint8Array): void {
    this.#texts = [text];
    this.#bytes = text.length;
    this.#isReset = true;
  }

  /** What can be sent now, and is removed. A reset that follows another one too closely still waits. */
  take(): Uint8Array | undefined {
    const now = performance.now();
    if (this.#isReset && now - this.#lastResetAt < resetEveryMs) return undefined;
    if (this.#isReset) this.#lastResetAt = now;
    const [only, ...more] = this.#texts;
    const taken = more.length === 0 ? only : concatenate(this.#texts, this.#bytes);
    this.#texts = [];
    this.#bytes = 0;
    this.#isReset = false;
    return taken;
  }
}
