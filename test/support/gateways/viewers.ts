import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePorts } from '../../e2e/support/portal-process.ts';
import type { ServerCertificate } from '../../simulator/authority.ts';
import { untilListening } from '../processes/output.ts';

const programs = {
  xvfb: '/usr/bin/Xvfb',
  remoteViewer: '/usr/bin/remote-viewer',
  qemu: '/usr/bin/qemu-system-x86_64',
  freerdp: '/usr/bin/xfreerdp',
  xrdp: '/usr/sbin/xrdp',
};
const { xvfb, remoteViewer, qemu, freerdp, xrdp } = programs;
export const hasSpice = [xvfb, remoteViewer, qemu].every(existsSync);
export const hasRdp = [xvfb, freerdp, xrdp].every(existsSync);

/** A virtual display, and programs on it. */
export type Screen = {
  /** Opens a file with `remote-viewer`, which deletes it. */
  openSpice(file: string): Viewer;
  /** Opens a file with FreeRDP until a session begins. */
  openRdp(file: string): Viewer;
  stop(): Promise<void>;
};

export type Viewer = {
  /** Its output. */
  output(): string;
  /** Its exit code. */
  ended: Promise<number | null>;
  stop(): Promise<unknown>;
};

export async function startScreen(): Promise<Screen> {
  const folder = await mkdtemp(join(tmpdir(), 'screen-'));
  await mkdir(join(folder, 'runtime'), { mode: 0o700 });
  const args = ['-displayfd', '3', '-screen', '0', '1024x768x24', '-nolisten', 'tcp'];
  const server = spawn(xvfb, args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
  const number = await numberFrom(server);
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    DISPLAY: `:${number}`,
    XDG_RUNTIME_DIR: join(folder, 'runtime'),
    LANG: 'C.UTF-8',
  };
  const open = (program: string, words: readonly string[]): Viewer =>
    viewerOf(spawn(program, words, { env }));
  return {
    openSpice: (file) => open(remoteViewer, [file]),
    openRdp: (file) => open(freerdp, [file, '/auth-only', '/p:anything', '/cert:ignore']),
    stop: async () => {
      await endOf(server);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function numberFrom(server: ChildProcess): Promise<string> {
  const [written] = await Promise.race([
    once(server.stdio[3] ?? server, 'data'),
    once(server, 'exit').then(([code]) => {
      throw new Error(`Xvfb ended with ${code}`);
    }),
  ]);
  return String(written).trim();
}

function viewerOf(child: ChildProcess): Viewer {
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => said.push(String(text)));
  const ended = once(child, 'close').then(([code]: (number | null)[]) => code ?? null);
  return { output: () => said.join(''), ended, stop: () => endOf(child) };
}

async function endOf(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

export type SpiceServer = {
  port: number;
  tlsPort: number;
  /** Sets the only valid password, as a dispatcher does before it returns the password. */
  expect(password: string): Promise<void>;
  /** The open channels, and whether each uses TLS. */
  channels(): Promise<{ channel: number; tls: boolean }[]>;
  /** Lines of standard error. */
  log: readonly string[];
  stop(): Promise<void>;
};

/** A QEMU with a display only: without a disk, and with its processor stopped. */
export async function startSpiceServer(certificate: ServerCertificate, caPem: string): Promise<SpiceServer> {
  const folder = await mkdtemp(join(tmpdir(), 'spice-'));
  const [port = 0, tlsPort = 0] = await freePorts(2);
  await writeFile(join(folder, 'ca-cert.pem'), caPem);
  await writeFile(join(folder, 'server-cert.pem'), certificate.cert);
  await writeFile(join(folder, 'server-key.pem'), certificate.key);
  const socket = join(folder, 'qmp');
  const listening = createServer().listen(socket);
  await once(listening, 'listening');
  const spice = `port=${port},tls-port=${tlsPort},addr=127.0.0.1,password-secret=none,x509-dir=${folder}`;
  const machine = ['-machine', 'pc', '-accel', 'tcg', '-m', '64', '-nodefaults', '-vga', 'qxl', '-S'];
  const secret = ['-object', 'secret,id=none,data=nobody-knows'];
  const child = spawn(qemu, [
    ...machine,
    ...secret,
    '-spice',
    spice,
    '-qmp',
    `unix:${socket}`,
    '-display',
    'none',
  ]);
  const log: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => log.push(line));
  const connection: Socket[] = await Promise.race([
    once(listening, 'connection'),
    once(child, 'exit').then(() => {
      throw new Error(`QEMU ended: ${log.join('; ')}`);
    }),
  ]);
  const ask = await talkTo(connection);
  return {
    port,
    tlsPort,
    log,
    expect: async (password) => void (await ask('set_password', { protocol: 'spice', password })),
    channels: async () => {
      const { channels = [] } = await ask('query-spice');
      return channels.map((channel: RemoteValue) => ({ channel: channel['channel-type'], tls: channel.tls }));
    },
    stop: async () => {
      await endOf(child);
      listening.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: answers are read as the tests expect them; a wrong guess fails the test
type RemoteValue = any;

/** QEMU's own protocol: a line of JSON in each direction, with events in between. */
async function talkTo([socket]: readonly Socket[]) {
  if (!socket) throw new Error('nobody connected');
  const waiting: { resolve: (value: RemoteValue) => void; reject: (error: Error) => void }[] = [];
  createInterface({ input: socket }).on('line', (line) => {
    const said = JSON.parse(line);
    if ('return' in said) waiting.shift()?.resolve(said.return);
    if ('error' in said) waiting.shift()?.reject(new Error(said.error.desc));
  });
  const ask = (execute: string, given: object = {}): Promise<RemoteValue> =>
    new Promise((resolve, reject) => {
      waiting.push({ resolve, reject });
      socket.write(`${JSON.stringify({ execute, arguments: given })}\n`);
    });
  await ask('qmp_capabilities');
  return ask;
}

export type RdpServer = {
  port: number;
  /** Its log output. */
  log(): Promise<string>;
  stop(): Promise<void>;
};

/** Debian's xrdp up to its greeting: it requires no password before a session begins. */
export async function startRdpServer({ cert, key }: ServerCertificate): Promise<RdpServer> {
  const folder = await mkdtemp(join(tmpdir(), 'xrdp-'));
  const [port = 0] = await freePorts(1);
  const files = {
    config: join(folder, 'xrdp.ini'),
    cert: join(folder, 'cert.pem'),
    key: join(folder, 'key.pem'),
  };
  const given = await readFile('/etc/xrdp/xrdp.ini', 'utf8');
  const settings: Record<string, string> = {
    port: `tcp://127.0.0.1:${port}`,
    fork: 'false',
    certificate: files.cert,
    key_file: files.key,
    LogFile: join(folder, 'xrdp.log'),
    EnableSyslog: 'false',
  };
  const seen = new Set<string>();
  const lines = given.split('\n').map((line) => {
    const [name = ''] = line.split('=');
    const value = settings[name];
    // After its first section a port is that of a session.
    if (value === undefined || seen.has(name)) return line;
    seen.add(name);
    return `${name}=${value}`;
  });
  await writeFile(files.config, lines.join('\n'));
  await writeFile(files.cert, cert);
  await writeFile(files.key, key);
  const child = spawn(xrdp, ['--nodaemon', '--config', files.config], { stdio: 'ignore' });
  await untilListening(child, { port });
  return {
    port,
    log: () => readFile(settings.LogFile ?? '', 'utf8'),
    stop: async () => {
      await endOf(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
