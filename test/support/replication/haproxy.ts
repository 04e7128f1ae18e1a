import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { freePorts } from '../../e2e/support/portal-process.ts';

const program = '/usr/sbin/haproxy';
export const hasHaproxy = existsSync(program);

export type Haproxy = {
  port: number;
  /** Forwards all connections to this server from now on, and closes those to the others. */
  moveTo(name: string): Promise<void>;
  stop(): Promise<void>;
};

/**
 * A common address of servers by their names, of which the first one is in use.
 * @param servers port of each on this machine
 */
export async function startHaproxy(servers: Readonly<Record<string, number>>): Promise<Haproxy> {
  const folder = await mkdtemp(join(tmpdir(), 'aggregator-haproxy-'));
  const [port = 0] = await freePorts(1);
  const socket = join(folder, 'admin.sock');
  const config = join(folder, 'haproxy.cfg');
  const names = Object.keys(servers);
  const lines = names.map(
    (name, at) => `  server ${name} 127.0.0.1:${servers[name]}${at > 0 ? ' disabled' : ''}`,
  );
  await writeFile(
    config,
    `global
  stats socket ${socket} mode 600 level admin
defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
listen db
  bind 127.0.0.1:${port}
${lines.join('\n')}
`,
  );
  const child = spawn(program, ['-db', '-f', config], { stdio: 'ignore' });
  while (!existsSync(socket)) {
    if (child.exitCode !== null) throw new Error(`HAProxy ended with ${child.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const command = async (line: string): Promise<void> => {
    const connection = connect(socket);
    connection.end(`${line}\n`);
    const answer = (await text(connection)).trim();
    if (answer !== '') throw new Error(`HAProxy: ${line}: ${answer}`);
  };
  return {
    port,
    moveTo: async (name) => {
      for (const other of names.filter((one) => one !== name)) {
        await command(`set server db/${other} state maint`);
        await command(`shutdown sessions server db/${other}`);
      }
      await command(`set server db/${name} state ready`);
    },
    stop: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
