import { type ChildProcess, spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { endOf, type ProcessEnd } from '../../support/processes/output.ts';
import { programVariables } from '../../support/program-variables.ts';

/** The last line of standard output of a start with `--json`, in any runtime. */
export type Announced = {
  base_url: string;
  admin_password?: string;
  /** Of the portal itself, which the launcher started. */
  pid: number;
};

/** Further members of the announcement of `npm start -- --json`. */
export type Announcement = Announced & {
  /** Its plain HTTP address, when that differs from `base_url`. */
  local_url?: string;
  health_url: string;
  ca_file: string;
  health_check_access_key: string;
  metrics_access_key: string;
};

/** The output of a process and all its descendants; the code is null after a signal. */
export type Ending = ProcessEnd;

export type PortalProcess<A extends Announced = Announcement> = {
  announcement: A;
  /** Process id of the command. */
  pid: number;
  /** From the command to the announcement. */
  startMs: number;
  /** Settles when the process and all its descendants have ended. */
  ended: Promise<Ending>;
  /** Sends a signal to the started process, as `npm` or a supervisor does. */
  signal(name: 'SIGTERM' | 'SIGINT'): void;
  /** Ends it by SIGTERM, and by SIGKILL after 15 s. */
  stop(): Promise<Ending>;
};

export type PortalOptions = {
  /** All its variables: nothing of this process is inherited. */
  env: NodeJS.ProcessEnv;
  /** Default: `npm start` by its launcher. */
  command?: readonly string[];
  /** The folder of the command. Default: this checkout. */
  folder?: string;
  /** A file for standard error, which is collected otherwise. */
  log?: string;
  /** Prints standard error instead of collecting it. */
  showErrors?: boolean;
  /** Ends it by SIGTERM, also during the start. */
  signal?: AbortSignal;
};

/** The portal ended instead of starting; the message is its output. */
export class PortalEnded extends Error {
  readonly code: number | null;

  constructor({ code, stderr }: Ending) {
    super(stderr.trim());
    this.name = 'PortalEnded';
    this.code = code;
  }
}

export const root = fileURLToPath(new URL('../../..', import.meta.url));
const launcher = ['shared/tooling/launch.mjs', 'functions/all.ts', '--json'];

/** Starts the portal and waits until it is ready. @throws PortalEnded */
export async function startPortal<A extends Announced = Announcement>(
  options: PortalOptions,
): Promise<PortalProcess<A>> {
  const started = performance.now();
  const child = launch(options);
  const ended = endOf(child);
  const announcement = await Promise.race([
    announcementOf<A>(child),
    ended.then((ending) => {
      throw new PortalEnded(ending);
    }),
  ]);
  return {
    announcement,
    pid: child.pid ?? 0,
    startMs: Math.round(performance.now() - started),
    ended,
    signal: (name) => void child.kill(name),
    stop: () => stop(child, announcement.pid, ended),
  };
}

/** An environment without variables of the developer, which must not affect a test. */
export const bareVariables = (dataDir: string, [port, healthPort]: readonly number[]): NodeJS.ProcessEnv => ({
  ...programVariables,
  HOME: process.env.HOME,
  DATA_DIR: dataDir,
  PORT: String(port),
  HEALTH_PORT: String(healthPort),
  ALLOWED_PRIVATE_NETWORKS: '127.0.0.0/8',
  LOG_LEVEL: 'warn',
});

/** A start that is expected to fail. */
export const runPortal = (options: PortalOptions): Promise<Ending> => endOf(launch(options));

/**
 * Currently free ports of loopback. They are below those that systems assign for port 0, so that no server of
 * another test file gets one meanwhile.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = 12_000 + Math.floor(Math.random() * 20_000);
    if (!ports.includes(port) && (await isFree(port))) ports.push(port);
  }
  return ports;
}

export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer().once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

function launch(options: PortalOptions): ChildProcess {
  const { env, command = launcher, folder = root, log, showErrors = false, signal } = options;
  const errors = showErrors ? 'inherit' : 'pipe';
  const child = spawn(process.execPath, [...command], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', log === undefined ? errors : openSync(log, 'a')],
  });
  signal?.addEventListener('abort', () => child.kill('SIGTERM'));
  return child;
}

function announcementOf<A extends Announced>({ stdout }: ChildProcess): Promise<A> {
  return new Promise((resolve) => {
    if (!stdout) return;
    createInterface({ input: stdout }).on('line', (line) => {
      if (line.startsWith('{"base_url"')) resolve(JSON.parse(line));
    });
  });
}

async function stop(child: ChildProcess, portalPid: number, ended: Promise<Ending>): Promise<Ending> {
  child.kill('SIGTERM');
  const timer = setTimeout(() => {
    child.kill('SIGKILL');
    kill(portalPid);
  }, 15_000);
  return ended.finally(() => clearTimeout(timer));
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // It has ended meanwhile.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
