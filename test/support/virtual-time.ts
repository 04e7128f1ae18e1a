import { setImmediate } from 'node:timers/promises';
import type { Timing } from '../../functions/health/jobs/process/timing.ts';

export type VirtualTime = Timing & {
  /** Runs the timers that are due until then, sequentially, each with all its consequences. */
  runUntil(at: number): Promise<void>;
  /** Resolves after that time; for events of the test itself. */
  sleep(ms: number): Promise<void>;
};

type Timer = { at: number; order: number; work: () => void; isCancelled: boolean };

/** A clock that moves only by `runUntil`, with the random numbers of one seed. */
export function createVirtualTime(seed: number): VirtualTime {
  const timers = createHeap();
  let now = 0;
  let order = 0;
  const after = (ms: number, work: () => void) => {
    const timer = { at: now + Math.max(0, ms), order: order++, work, isCancelled: false };
    timers.push(timer);
    return () => {
      timer.isCancelled = true;
    };
  };
  return {
    now: () => now,
    random: randomOf(seed),
    after,
    sleep: (ms) => new Promise((resolve) => after(ms, resolve)),
    runUntil: async (end) => {
      await setImmediate();
      for (let next = timers.peek(); next && next.at <= end; next = timers.peek()) {
        timers.pop();
        if (next.isCancelled) continue;
        now = next.at;
        next.work();
        // A macrotask of the real loop: every promise after the timer has settled before it.
        await setImmediate();
      }
      now = end;
    },
  };
}

/** Mulberry32, a small generator of numbers from 0 to 1. */
export function randomOf(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function createHeap() {
  const items: Timer[] = [];
  const isBefore = (a: Timer, b: Timer) => a.at < b.at || (a.at === b.at && a.order < b.order);
  const swapIfBefore = (a: number, b: number): boolean => {
    const [first, second] = [items[a], items[b]];
    if (!first || !second || !isBefore(first, second)) return false;
    items[a] = second;
    items[b] = first;
    return true;
  };
  return {
    peek: (): Timer | undefined => items[0],
    push: (timer: Timer): void => {
      items.push(timer);
      for (let at = items.length - 1; at > 0; at = (at - 1) >> 1) if (!swapIfBefore(at, (at - 1) >> 1)) break;
    },
    pop: (): void => {
      const last = items.pop();
      if (!last || items.length === 0) return;
      items[0] = last;
      for (let at = 0; ; ) {
        const [left, right] = [items[2 * at + 1], items[2 * at + 2]];
        const child = right && left && isBefore(right, left) ? 2 * at + 2 : 2 * at + 1;
        if (!left || !swapIfBefore(child, at)) break;
        at = child;
      }
    },
  };
}
