import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { accessSync, constants, globSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

/** `url` is that of the administrative database. `stop` removes the data in `folder` unless `keep` is set. */
export type ThrowawayPostgres = {
  url: string;
  folder: string;
  stop(options?: { keep: boolean }): Promise<void>;
};

export type ThrowawayOptions = {
  /** Folder for the data folder. */
  parent?: string | undefined;
  /** Further settings of the server. */
  settings?: Readonly<Record<string, string>>;
  /** Data of a server that was stopped; they are copied. Default: a new, empty server. */
  data?: string;
};

type LaunchedServer = { server: ChildProcess; port: number };

const run = promisify(execFile);
/** User and group `nobody`, because PostgreSQL does not run as root. */
const nobody = 65_534;
const isRoot = process.getuid?.() === 0;

/**
 * Starts a temporary PostgreSQL server: local connections need no password, and writes are not synced.
 * @param binaries folder returned by `findBinaries`
 * @throws Error if the server does not start
 */
export async function startThrowawayPostgres(
  binaries: string,
  { parent = tmpdir(), settings = {}, data }: ThrowawayOptions = {},
): Promise<ThrowawayPostgres> {
  const folder = await makeFolder(parent);
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    if (data === undefined) await initialise(binaries, folder);
    else await copyData(data, folder);
    const { server, port } = await launchOnFreePort(binaries, folder, settings);
    const url = `postgres://app@127.0.0.1:${port}/postgres`;
    return { url, folder, stop: (options) => end(server).finally(() => options?.keep || remove()) };
  } catch (cause) {
    await remove();
    throw new Error(`PostgreSQL of ${binaries} did not start`, { cause });
  }
}

/** @returns the folder with `initdb` and `postgres`: from the search path, otherwise the newest of Debian */
export function findBinaries(): string | undefined {
  const debian = globSync('/usr/lib/postgresql/*/bin').sort((a, b) => versionIn(b) - versionIn(a));
  const onPath = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return [...onPath, ...debian].find((folder) =>
    ['initdb', 'postgres'].every((name) => isProgram(join(folder, name))),
  );
}

const versionIn = (path: string): number => Number(/\d+/.exec(path)?.[0] ?? 0);

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function makeFolder(parent: string): Promise<string> {
  const folder = await mkdtemp(join(parent, 'aggregator-postgres-'));
  if (isRoot) await chown(folder, nobody, nobody);
  return folder;
}

/** The files of the copy belong to the user of the server. */
async function copyData(data: string, folder: string): Promise<void> {
  await run('cp', ['--archive', data, join(folder, 'data')]);
}

async function initialise(binaries: string, folder: string): Promise<void> {
  const options = ['-D', join(folder, 'data'), '-U', 'app', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8'];
  const [program, ...rest] = unprivileged([
    join(binaries, 'initdb'),
    ...options,
    '--no-sync',
    '--no-instructions',
  ]);
  await run(program, rest, { env: environment(folder), cwd: folder });
}

/** Retried, because another process may take the port in the meantime. */
async function launchOnFreePort(
  binaries: string,
  folder: string,
  settings: Readonly<Record<string, string>>,
  attempts = 3,
): Promise<LaunchedServer> {
  const port = await freePort();
  try {
    return { server: await launch(binaries, folder, port, settings), port };
  } catch (error) {
    if (attempts === 1) throw error;
    return launchOnFreePort(binaries, folder, settings, attempts - 1);
  }
}

/** Resolves when the server accepts connections; rejects with its log if it ends before. */
function launch(
  binaries: string,
  folder: string,
  port: number,
  further: Readonly<Record<string, string>>,
): Promise<ChildProcess> {
  const settings = {
    listen_addresses: '127.0.0.1',
    max_connections: 200,
    fsync: 'off',
    full_page_writes: 'off',
  };
  const options = Object.entries({
    ...settings,
    synchronous_commit: 'off',
    unix_socket_directories: folder,
    ...further,
  });
  const [program, ...rest] = unprivileged([
    ...[join(binaries, 'postgres'), '-D', join(folder, 'data'), '-p', String(port)],
    ...options.flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]);
  const stdio = ['ignore', 'ignore', 'pipe'] as const;
  const server = spawn(program, rest, { env: environment(folder), cwd: folder, stdio: [...stdio] });
  return new Promise((resolve, reject) => {
    let log = '';
    server.stderr?.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-4_000);
      if (log.includes('ready to accept connections')) resolve(server);
    });
    server.once('error', reject);
    server.once('exit', () => reject(new Error(log)));
  });
}

/** The parent-death signal ends the server even if this process is killed. */
function unprivileged(command: string[]): [string, ...string[]] {
  const [program = '', ...rest] = command;
  if (process.platform !== 'linux') return [program, ...rest];
  const asNobody = [`--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'];
  return ['setpriv', ...(isRoot ? asNobody : []), '--pdeathsig', 'INT', program, ...rest];
}

/** English messages, because the log is searched for one sentence. */
const environment = (folder: string) => ({ PATH: process.env.PATH, HOME: folder, LC_ALL: 'C' });

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

/** SIGINT is PostgreSQL's fast shutdown: it ends sessions instead of waiting for clients. */
function end(server: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (server.exitCode !== null || server.signalCode !== null) return resolve();
    server.once('exit', () => resolve());
    server.kill('SIGINT');
  });
}
