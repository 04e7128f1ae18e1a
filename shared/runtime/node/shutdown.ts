import type { Log } from '../../kernel/observability/log.ts';

type Step = { name: string; run: () => unknown };

/** The shutdown of a process: after a signal, after a failed start, or on request. */
export type Shutdown = {
  /** Aborts when the shutdown begins. A running start must not create anything afterwards. */
  readonly signal: AbortSignal;
  /** Adds a step. Steps run in reverse order; a step added during the shutdown runs immediately. */
  add(name: string, run: () => unknown): void;
  /** Runs the steps within 10 s in total, and exits. */
  exit(code: number): Promise<void>;
};

export type ShutdownOptions = { log?: Pick<Log, 'info' | 'error'>; exit?: (code: number) => void };

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
const endWithinMs = 10_000;
/** A terminal, npm and the launcher may each forward the same Ctrl-C. */
const sameSignalMs = 1_000;

/**
 * Ends the process with 0 on SIGTERM, SIGINT or SIGHUP; a second signal exits immediately with 1. A failed step is
 * logged, and the other steps still run.
 */
export function createShutdown({ log, exit = process.exit }: ShutdownOptions = {}): Shutdown {
  const steps: Step[] = [];
  const ending = new AbortController();
  let since: number | undefined;

  const runStep = async ({ name, run }: Step): Promise<void> => {
    try {
      await run();
    } catch (error) {
      log?.error('a shutdown step failed', { step: name, error });
    }
  };
  const end = async (code: number): Promise<void> => {
    if (ending.signal.aborted) return;
    ending.abort();
    setTimeout(() => {
      log?.error('the shutdown was not finished in time', { after_ms: endWithinMs });
      exit(code);
    }, endWithinMs).unref();
    for (let step = steps.pop(); step; step = steps.pop()) await runStep(step);
    exit(code);
  };
  const onSignal = (signal: string): void => {
    if (since === undefined) {
      since = performance.now();
      if (!ending.signal.aborted) log?.info('stopping', { signal });
      void end(0);
    } else if (performance.now() - since > sameSignalMs) exit(1);
  };
  for (const signal of signals) process.on(signal, onSignal);
  return {
    signal: ending.signal,
    add: (name, run) => void (ending.signal.aborted ? runStep({ name, run }) : steps.push({ name, run })),
    exit: end,
  };
}
