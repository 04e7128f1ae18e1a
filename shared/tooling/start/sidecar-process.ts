import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../kernel/observability/log.ts';
import type { Shutdown } from '../../runtime/node/shutdown.ts';
import { AlreadyReported } from './fatal.ts';

export type SidecarProcess = { healthUrl: string };

/** Longest pause between restarts of a sidecar that fails repeatedly, in milliseconds. */
const longestPauseMs = 30_000;
/** Time limit of the sidecar's shutdown in milliseconds; afterwards it is killed. */
const endWithinMs = 5_000;
/** The sidecar serves few requests, so a small young generation costs it nothing. */
const nodeFlags = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=2'];
/** Makes the sidecar end together with its parent process. */
export const attachedFlag = '--attached';

/**
 * Starts the sidecar as a child process, waits until it serves, and restarts it if it ends. It never outlives this
 * process.
 * @param env variables of the sidecar; the configuration file is already read
 * @throws AlreadyTold if the first start fails; the sidecar has printed the reason
 */
export async function startSidecar(
  main: string,
  env: Record<string, string>,
  log: Log,
  { signal, add }: Shutdown,
): Promise<SidecarProcess> {
  signal.throwIfAborted();
  const command = [...endingWithParent(), process.execPath, ...nodeFlags, main];
  let sidecar = launch(command, env);
  add('sidecar', () => end(sidecar));
  process.once('exit', () => sidecar.child.kill('SIGKILL'));
  const healthUrl = await readyUrl(sidecar.child);
  if (!healthUrl) throw new AlreadyReported('The sidecar did not start');
  void restartWhenEnded(1_000);
  return { healthUrl };

  async function restartWhenEnded(pauseMs: number): Promise<void> {
    const [code, killedBy] = await sidecar.exited;
    if (signal.aborted) return;
    log.error('the sidecar ended unexpectedly and is restarted', {
      code,
      signal: killedBy,
      pause_ms: pauseMs,
    });
    await delay(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
    if (signal.aborted) return;
    sidecar = launch(command, env);
    sidecar.child.stdout?.resume();
    void restartWhenEnded(Math.min(pauseMs * 2, longestPauseMs));
  }
}

type LaunchedProcess = { child: ChildProcess; exited: Promise<unknown[]> };

/**
 * The sidecar detects the end of this process by a closed `ipc` channel, but not while it is frozen. The parent-death
 * signal of Linux covers that case; `setpriv` of util-linux sets it, that of BusyBox does not.
 */
function endingWithParent(): string[] {
  const command = ['setpriv', '--pdeathsig', 'KILL'];
  const [program = '', ...args] = command;
  return process.platform === 'linux' && spawnSync(program, [...args, 'true']).status === 0 ? command : [];
}

function launch([program = '', ...args]: readonly string[], env: Record<string, string>): LaunchedProcess {
  const child = spawn(program, [...args, attachedFlag], {
    env: { ...process.env, ...env, CONFIG_FILE: '/dev/null' },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const exited = new Promise<unknown[]>((resolve) => {
    child.once('exit', (...ending) => resolve(ending)).once('error', (error) => resolve([error.message]));
  });
  return { child, exited };
}

async function readyUrl({ stdout }: ChildProcess): Promise<string | undefined> {
  if (!stdout) return undefined;
  for await (const line of createInterface({ input: stdout })) {
    const message: unknown = line.startsWith('{') ? JSON.parse(line) : undefined;
    if (message instanceof Object && 'health_url' in message) return String(message.health_url);
  }
  return undefined;
}

async function end({ child, exited }: LaunchedProcess): Promise<void> {
  const killing = setTimeout(() => child.kill('SIGKILL'), endWithinMs);
  child.kill('SIGTERM');
  await exited;
  clearTimeout(killing);
}
