import { timerDelay } from './timers.ts';

/** Notifications between parts of one process, by key. */
export type Notifier = {
  /** Receives notifications of the key from now on, until the listener is closed. */
  listen(key: string): Listener;
  notify(key: string): void;
  /** Ends current and future waits. Used at shutdown. */
  end(): void;
  hasEnded(): boolean;
  /** Number of open listeners. */
  size(): number;
};

export type Listener = {
  /** Resolves on a notification since the last call, after `ms` milliseconds, or when the signal aborts. */
  next(ms: number, signal: AbortSignal): Promise<void>;
  close(): void;
};

export function createNotifier(): Notifier {
  const listenersByKey = new Map<string, Set<() => void>>();
  let isEnding = false;
  const hasEnded = (): boolean => isEnding;
  return {
    listen: (key) => {
      const { ring, next } = createSignal(hasEnded);
      const own = listenersByKey.get(key) ?? new Set();
      listenersByKey.set(key, own.add(ring));
      return {
        next,
        close: () => {
          own.delete(ring);
          if (own.size === 0 && listenersByKey.get(key) === own) listenersByKey.delete(key);
        },
      };
    },
    notify: (key) => {
      for (const ring of listenersByKey.get(key) ?? []) ring();
    },
    end: () => {
      isEnding = true;
      for (const own of listenersByKey.values()) for (const ring of own) ring();
    },
    hasEnded,
    size: () => [...listenersByKey.values()].reduce((sum, own) => sum + own.size, 0),
  };
}

/** A ring without a waiter is remembered, so that a notification between a check and the next wait is not lost. */
function createSignal(hasEnded: () => boolean): { ring: () => void; next: Listener['next'] } {
  let isRung = false;
  let resume: (() => void) | undefined;
  const ring = (): void => {
    isRung = true;
    resume?.();
  };
  const next: Listener['next'] = async (ms, signal) => {
    if (!isRung && !hasEnded() && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const stop = (): void => resolve();
      resume = stop;
      const timer = setTimeout(stop, timerDelay(ms));
      signal.addEventListener('abort', stop);
      await promise;
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      resume = undefined;
    }
    isRung = false;
  };
  return { ring, next };
}
