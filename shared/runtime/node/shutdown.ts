import type { Log } from '../../kernel/observability/log.ts';

type Step = { name: string; run: () => unknown };

/** How a process ends: on a signal, after a failed start, or on its own. */
export type Shutdown = {
  /** Aborts when the process begins to end; a start that is under way must create nothing after that. */
  readonly signal: AbortSignal;
  /** Adds a step. The one added last runs first; one that is added while the process ends runs at once. */
  add(name: string, run: () => unknown): void;
  /** Runs the steps, 10 s in total, and exits. */
  exit(code: number): Promise<void>;
};

export type ShutdownOptions = { log?: Pick<Log, 'info' | 'error'>; exit?: (code: number) => void };

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
const endWithinMs = 10_000;
/** A terminal, npm and the launcher may each pass on the same Ctrl-C. */
const sameSignalMs = 1_000;

/**
 * Ends the process on SIGTERM, SIGINT or SIGHUP with 0; a second signal exits with 1 at once. A step that fails is logged
 * and does not keep the others from running.
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
