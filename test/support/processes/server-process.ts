import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { ServeOptions } from '../../../shared/runtime/node/server.ts';

/** Settings of a server that can be written as JSON. */
export type ServerSettings = Omit<Partial<ServeOptions>, 'fetch' | 'log'>;

export type ServerProcess = {
  pid: number;
  port: number;
  /** Number of open descriptors of the process. */
  descriptors(): number;
  stop(): Promise<void>;
};

const entry = fileURLToPath(new URL('served-process.ts', import.meta.url));

export const descriptorsOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

/** Starts the Node server in a separate process. @param descriptorLimit `ulimit -n` of the process */
export async function startServer(
  settings: ServerSettings = {},
  descriptorLimit?: number,
): Promise<ServerProcess> {
  const limit = descriptorLimit === undefined ? '' : `ulimit -n ${descriptorLimit}; `;
  const child = spawn('sh', ['-c', `${limit}exec "$0" "$@"`, process.execPath, entry], {
    env: { ...process.env, SERVER_SETTINGS: JSON.stringify(settings) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const port = Number(await firstLine(child));
  const pid = child.pid ?? 0;
  return {
    pid,
    port,
    descriptors: () => descriptorsOf(pid),
    stop: async () => {
      if (child.exitCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (!stdout) throw new Error('no standard output');
  const [line] = await once(createInterface({ input: stdout }), 'line');
  return line;
}

export type Client = { socket: Socket; closed: Promise<void> };

/** At most as many at once as fit in the accept queue of a server. */
const atOnce = 200;

/** Connects clients that send nothing. @param from the address of the client */
export async function connectSilent(port: number, count: number, from = '127.0.0.1'): Promise<Client[]> {
  const all: Client[] = [];
  while (all.length < count)
    all.push(...(await connectSome(port, Math.min(atOnce, count - all.length), from)));
  return all;
}

async function connectSome(port: number, count: number, from: string): Promise<Client[]> {
  const clients = Array.from({ length: count }, () => silentClient(port, from));
  await Promise.all(
    clients.map(({ socket, closed }) =>
      Promise.race([once(socket, 'connect').catch(() => undefined), closed]),
    ),
  );
  return clients;
}

function silentClient(port: number, localAddress: string): Client {
  const socket = connect({ host: '127.0.0.1', port, localAddress });
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  // Without a reader the end of the connection is not detected.
  socket.resume();
  return { socket, closed };
}
