import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Log } from '../../kernel/log.ts';
import { AlreadyTold } from './fatal.ts';

export type SidecarProcess = { healthUrl: string; stop(): Promise<void> };

/** Between two starts of a sidecar that dies again and again. */
const longestPauseMs = 30_000;

/**
 * Starts the sidecar as a process of its own, as it is in production, waits until it serves, and starts it again
 * when it dies.
 * @param env the variables it is configured by; the configuration file was read already
 * @throws AlreadyTold when the first start fails; the sidecar itself has said why
 */
export async function startSidecar(
  main: string,
  env: Record<string, string>,
  log: Log,
): Promise<SidecarProcess> {
  let child = launch(main, env);
  let isStopping = false;
  const healthUrl = await readyUrl(child);
  if (!healthUrl) throw new AlreadyTold('The sidecar did not start');
  const watch = (pauseMs: number): void => {
    child.once('exit', (code, signal) => {
      if (isStopping) return;
      log.error('the sidecar died and is started again', { code, signal, pause_ms: pauseMs });
      setTimeout(() => {
        if (isStopping) return;
        child = launch(main, env);
        child.stdout?.resume();
        watch(Math.min(pauseMs * 2, longestPauseMs));
      }, pauseMs).unref();
    });
  };
  watch(1_000);
  return {
    healthUrl,
    stop: async () => {
      isStopping = true;
      await end(child);
    },
  };
}

/** By the end of the channel (`ipc`) the child learns of ours, however we end. */
const launch = (main: string, env: Record<string, string>): ChildProcess =>
  spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main], {
    env: { ...process.env, ...env, CONFIG_FILE: '/dev/null' },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });

async function readyUrl({ stdout }: ChildProcess): Promise<string | undefined> {
  if (!stdout) return undefined;
  for await (const line of createInterface({ input: stdout })) {
    const message: unknown = line.startsWith('{') ? JSON.parse(line) : undefined;
    if (message instanceof Object && 'health_url' in message) return String(message.health_url);
  }
  return undefined;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}
