import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { findBinaries, freePort } from '../../../shared/tooling/start/throwaway-postgres.ts';

const run = promisify(execFile);
const nobody = 65_534;
const isRoot = process.getuid?.() === 0;
const asNobody = isRoot ? [`--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'] : [];

export type Standby = {
  /** Its administrative database. */
  url: string;
  port: number;
  /** Promotes it, and resolves when it accepts writes. */
  promote(): Promise<void>;
  stop(): Promise<void>;
};

/** A standby of a running server, created by `pg_basebackup`. @param primary URL of its administrative database */
export async function startStandby(primary: string): Promise<Standby> {
  // The search path may have links to only some of the programs.
  const binaries = dirname(await realpath(join(findBinaries() ?? '', 'postgres')));
  const folder = await mkdtemp(join(tmpdir(), 'aggregator-standby-'));
  if (isRoot) await chown(folder, nobody, nobody);
  const data = join(folder, 'data');
  const { port: primaryPort, username } = new URL(primary);
  const backup = [
    '-h',
    '127.0.0.1',
    '-p',
    primaryPort,
    '-U',
    username,
    '-D',
    data,
    '-R',
    '-X',
    'stream',
    '-c',
    'fast',
  ];
  const env = { PATH: process.env.PATH, HOME: folder, LC_ALL: 'C' };
  await run('setpriv', [...asNobody, join(binaries, 'pg_basebackup'), ...backup], { env, cwd: folder });
  const port = await freePort();
  const settings = [
    'listen_addresses=127.0.0.1',
    'max_connections=200',
    'fsync=off',
    `unix_socket_directories=${folder}`,
  ];
  const server = spawn(
    'setpriv',
    [
      ...[...asNobody, '--pdeathsig', 'INT', join(binaries, 'postgres'), '-D', data, '-p', String(port)],
      ...settings.flatMap((setting) => ['-c', setting]),
    ],
    { env, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  await readiness(server);
  const url = Object.assign(new URL(primary), { port: String(port) }).href;
  return {
    url,
    port,
    promote: async () => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await client.query('select pg_promote(true, 60)');
      await client.end();
    },
    stop: async () => {
      if (server.exitCode === null && server.signalCode === null) {
        const exited = once(server, 'exit');
        server.kill('SIGINT');
        await exited;
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function readiness(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let log = '';
    server.stderr?.setEncoding('utf8').on('data', (piece: string) => {
      log = (log + piece).slice(-4_000);
      if (log.includes('ready to accept read-only connections')) resolve();
    });
    server.once('error', reject);
    server.once('exit', () => reject(new Error(log)));
  });
}

/** Kills a server and all its processes at once, as in a power failure. @param folder of its data */
export async function killServer(folder: string): Promise<void> {
  const postmaster = Number((await readFile(join(folder, 'data', 'postmaster.pid'), 'utf8')).split('\n')[0]);
  for (const pid of [postmaster, ...(await childrenOf(postmaster))]) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      // It has ended with its postmaster.
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }
}

async function childrenOf(parent: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const parents = await Promise.all(
    pids.map(async (pid) => {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
      return { pid: Number(pid), parent: Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) };
    }),
  );
  return parents.filter((one) => one.parent === parent).map(({ pid }) => pid);
}
