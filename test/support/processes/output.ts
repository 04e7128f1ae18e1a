import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export type ProcessOutput = { stdout: string; stderr: string };
export type ProcessEnd = ProcessOutput & { code: number | null };

/** Collects the output of a process; the members grow while it runs. */
export function outputOf({ stdout, stderr }: ChildProcess): ProcessOutput {
  const output = { stdout: '', stderr: '' };
  stdout?.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  stderr?.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  return output;
}

/** Waits until the output of a process is closed, which its descendants may have open as well. */
export async function endOf(child: ChildProcess, output = outputOf(child)): Promise<ProcessEnd> {
  const [code] = await once(child, 'close');
  return { code, ...output };
}

export type Listener = { host?: string; port: number };

/** Resolves when a started program accepts connections. @throws Error when it ends before */
export async function untilListening(child: ChildProcess, to: Listener): Promise<void> {
  while (!(await accepts(to))) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`${child.spawnfile} ended with ${child.exitCode ?? child.signalCode}`);
    await delay(50);
  }
}

const accepts = ({ host = '127.0.0.1', port }: Listener): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, host);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
