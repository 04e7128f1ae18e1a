import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export type SidecarProcess = { healthUrl: string; stop(): Promise<void> };

/**
 * Starts the sidecar as a process of its own, as it is in production, and waits until it serves.
 * @param env the variables it is configured by; the configuration file was read already
 * @throws Error when it ends instead; its own last line says why
 */
export async function startSidecar(main: string, env: Record<string, string>): Promise<SidecarProcess> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main], {
    env: { ...process.env, ...env, CONFIG_FILE: '/dev/null' },
    // By the end of the channel the child learns of ours, however we end.
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  if (!child.stdout) throw new Error('the output of the sidecar is not a pipe');
  for await (const line of createInterface({ input: child.stdout })) {
    const healthUrl = healthUrlIn(line);
    if (healthUrl) return { healthUrl, stop };
  }
  throw new Error('The sidecar did not start; the line above says why');
}

function healthUrlIn(line: string): string | undefined {
  const message: unknown = line.startsWith('{') ? JSON.parse(line) : undefined;
  return message instanceof Object && 'health_url' in message ? String(message.health_url) : undefined;
}
