import type { ChildProcess } from 'node:child_process';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

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
