/** Who waits in this process for news of something, by a key that both sides know. */
export type Notifier = {
  /** Hears of what is told from now on, until it is closed. */
  listen(key: string): Listener;
  notify(key: string): void;
  /** Ends all waiting, that of later listeners as well: the process is about to end. */
  end(): void;
  hasEnded(): boolean;
  /** How many listen. */
  size(): number;
};

export type Listener = {
  /** Resolves when the key was told since the last time, after `ms`, or with the signal. */
  next(ms: number, signal: AbortSignal): Promise<void>;
  close(): void;
};

export function createNotifier(): Notifier {
  const bells = new Map<string, Set<() => void>>();
  let isEnding = false;
  const hasEnded = (): boolean => isEnding;
  return {
    listen: (key) => {
      const { ring, next } = createBell(hasEnded);
      const own = bells.get(key) ?? new Set();
      bells.set(key, own.add(ring));
      return {
        next,
        close: () => {
          own.delete(ring);
          if (own.size === 0 && bells.get(key) === own) bells.delete(key);
        },
      };
    },
    notify: (key) => {
      for (const ring of bells.get(key) ?? []) ring();
    },
    end: () => {
      isEnding = true;
      for (const own of bells.values()) for (const ring of own) ring();
    },
    hasEnded,
    size: () => [...bells.values()].reduce((sum, own) => sum + own.size, 0),
  };
}

/** What rings while nobody waits is remembered: news that comes between a look and the wait for more is not lost. */
function createBell(hasEnded: () => boolean): { ring: () => void; next: Listener['next'] } {
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
      const timer = setTimeout(stop, ms);
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
