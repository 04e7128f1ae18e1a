import type { Log } from '../kernel/log.ts';

export type StopStep = { name: string; run: () => unknown };
export type StopOptions = { log?: Pick<Log, 'info' | 'error'>; exit?: (code: number) => void };

const stopWithinMs = 10_000;
/** A terminal, npm and the launcher may each pass on the same Ctrl-C. */
const sameSignalMs = 1_000;

/**
 * On SIGTERM or SIGINT runs the steps in order, 10 s in total, and exits with 0; a second signal exits with 1 at once.
 * A step that fails is logged and does not keep the others from running.
 */
export function onStop(steps: readonly StopStep[], { log, exit = process.exit }: StopOptions = {}): void {
  let since: number | undefined;
  const stop = async (signal: string) => {
    if (since !== undefined) return performance.now() - since > sameSignalMs ? exit(1) : undefined;
    since = performance.now();
    log?.info('stopping', { signal });
    setTimeout(() => {
      log?.error('stopped before all was finished', { after_ms: stopWithinMs });
      exit(0);
    }, stopWithinMs).unref();
    for (const { name, run } of steps) {
      try {
        await run();
      } catch (error) {
        log?.error('a step of stopping failed', { step: name, error });
      }
    }
    exit(0);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}
