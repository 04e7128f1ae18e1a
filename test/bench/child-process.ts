import { fork } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The message of a server that it is ready; `nodes` when there are several. */
export type Ready = { url: string; ca_certificate?: string; nodes?: { name: string; url: string }[] };
export type Child = Ready & {
  pid: number;
  /** Sends a command, and waits until the server has executed it. @returns its result */
  tell(order: object): Promise<unknown>;
  stop(): Promise<void>;
};

/**
 * Starts a server of this folder in a separate process, and waits until it is ready.
 * @param log file for its standard error
 */
export async function startChild(file: string, settings: object, log: string): Promise<Child> {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = fork(path, [JSON.stringify(settings)], {
    stdio: ['ignore', 'inherit', openSync(log, 'a'), 'ipc'],
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  const exited = once(child, 'exit');
  const ready = new Promise<Ready>((resolve) => {
    child.once('message', (message: unknown) => {
      if (isReady(message)) resolve(message);
    });
  });
  const failed = exited.then(([code]) => {
    throw new Error(`${file} ended with ${code}, see ${log}`);
  });
  const facts = await Promise.race([ready, failed]);
  failed.catch(() => undefined);
  const stop = async (): Promise<void> => {
    child.disconnect();
    await exited;
  };
  const tell = async (order: object): Promise<unknown> => {
    const carriedOut = once(child, 'message');
    child.send(order);
    const [result] = await Promise.race([carriedOut, failed]);
    return result;
  };
  return { ...facts, pid: child.pid ?? 0, tell, stop };
}

const isReady = (message: unknown): message is Ready =>
  typeof message === 'object' && message !== null && 'url' in message;

/** In a server: reports that it is ready, and ends it when the benchmark ends in any way. */
export function tellReady(ready: Ready): void {
  process.send?.(ready);
  process.once('disconnect', () => process.exit(0));
}

/** In a server: executes the commands of the benchmark. */
export function obey(carryOut: (order: unknown) => unknown): void {
  process.on('message', (order) => {
    process.send?.(carryOut(order) ?? 'carried out');
  });
}
