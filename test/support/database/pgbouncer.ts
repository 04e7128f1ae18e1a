import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../../e2e/support/portal-process.ts';

const program = '/usr/sbin/pgbouncer';
export const hasPgbouncer = existsSync(program);
/** PgBouncer refuses to run as root. */
const nobody = 65_534;
const isRoot = process.getuid?.() === 0;

export type Pgbouncer = {
  /** The same URL through PgBouncer. */
  through(url: string): string;
  stop(): Promise<void>;
};

export type PgbouncerOptions = {
  /** Any URL of the server. */
  server: string;
  users: readonly string[];
  /** `ignore_startup_parameters`; unlisted ones are refused. */
  ignored?: readonly string[];
  /** Server sessions for each database and user. */
  poolSize?: number;
};

/** A PgBouncer in transaction pooling mode, without password authentication. */
export async function startPgbouncer({
  server,
  users,
  ignored = [],
  poolSize = 4,
}: PgbouncerOptions): Promise<Pgbouncer> {
  const folder = await mkdtemp(join(tmpdir(), 'aggregator-pgbouncer-'));
  const [port = 0] = await freePorts(1);
  const { hostname, port: serverPort } = new URL(server);
  const userList = join(folder, 'users.txt');
  const config = join(folder, 'pgbouncer.ini');
  await writeFile(userList, users.map((user) => `"${user}" ""\n`).join(''));
  await writeFile(
    config,
    `[databases]
* = host=${hostname} port=${serverPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${userList}
pool_mode = transaction
default_pool_size = ${poolSize}
max_client_conn = 500
ignore_startup_parameters = ${['extra_float_digits', ...ignored].join(', ')}
`,
  );
  if (isRoot) for (const path of [folder, userList, config]) await chown(path, nobody, nobody);
  const asNobody = isRoot ? [`--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'] : [];
  const child = spawn('setpriv', [...asNobody, '--pdeathsig', 'INT', program, config], {
    stdio: ['ignore', 'ignore', 'pipe'],
    cwd: folder,
  });
  await new Promise<void>((resolve, reject) => {
    let log = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-4_000);
      if (log.includes('process up')) resolve();
    });
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`PgBouncer did not start: ${log}`)));
  });
  return {
    through: (url) => Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) }).href,
    stop: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGINT');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
