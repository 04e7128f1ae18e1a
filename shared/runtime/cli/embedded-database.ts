import { Buffer } from 'node:buffer';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { defaultRoles } from '../../../db/roles.ts';
import { ownDataFolder } from './data-folder.ts';
import type { WorkerOptions } from './embedded-database-worker.ts';

export type EmbeddedDatabase = {
  /** For `pg`, over a Unix socket: the database as the role of the portal. */
  url: string;
  /** The same as the role that owns the database. */
  ownerUrl: string;
  /** The same as the role of the sidecar. */
  sidecarUrl: string;
  /** The same as the superuser. */
  superuserUrl: string;
  /** Rolls back what is open, and closes the database. */
  stop(): Promise<void>;
};

export type EmbeddedDatabaseOptions = {
  /** Belongs to the database alone; made when absent. */
  folder: string;
  /** The database died while it was in use; unless told, the error is thrown and ends the process. */
  onFailure?: (error: Error) => void;
};

/** The name that PostgreSQL clients derive from directory and port. */
const socketName = '.s.PGSQL.5432';
/** `sun_path` holds 108 bytes with the closing zero; macOS has 104. */
const maxSocketPath = 103;

/**
 * PGlite in a worker thread, for any number of `pg` pools of this machine. Only the owner of this process can
 * connect: the socket lies in a folder of mode 700, which takes the place of a password.
 * What is acknowledged survives a killed process; against a power failure only the operating system's write-back helps.
 * @throws Error when another process uses the folder, or the database does not start
 */
export async function startEmbeddedDatabase(options: EmbeddedDatabaseOptions): Promise<EmbeddedDatabase> {
  const folder = resolve(options.folder);
  const lock = ownDataFolder(folder);
  const sockets = socketFolder(folder);
  const places: WorkerOptions = {
    cluster: join(folder, 'cluster'),
    complete: join(folder, 'cluster.complete'),
    socket: join(sockets, socketName),
  };
  // A cluster whose making was interrupted is unusable, and nothing was ever acknowledged in it.
  if (!existsSync(places.complete)) rmSync(places.cluster, { recursive: true, force: true });
  rmSync(places.socket, { force: true });
  const free = () => {
    if (sockets !== folder) rmSync(sockets, { recursive: true, force: true });
    lock.release();
  };
  try {
    const stop = await startWorker(places, options.onFailure ?? fail);
    return {
      url: urlOf(sockets, defaultRoles.portal),
      ownerUrl: urlOf(sockets, defaultRoles.owner),
      sidecarUrl: urlOf(sockets, defaultRoles.sidecar),
      superuserUrl: urlOf(sockets, 'postgres'),
      stop: () => stop().finally(free),
    };
  } catch (cause) {
    free();
    throw new Error(`The embedded database in ${folder} does not start: ${String(cause)}`, { cause });
  }
}

function socketFolder(folder: string): string {
  const fits = Buffer.byteLength(join(folder, socketName)) <= maxSocketPath;
  return fits ? folder : mkdtempSync(join(tmpdir(), 'aggregator-'));
}

const urlOf = (sockets: string, role: string): string =>
  `postgres://${role}@localhost:5432/postgres?host=${encodeURIComponent(sockets)}`;

const fail = (error: Error): never => {
  throw error;
};

async function startWorker(
  places: WorkerOptions,
  onFailure: (error: Error) => void,
): Promise<() => Promise<void>> {
  const worker = new Worker(new URL('./embedded-database-worker.ts', import.meta.url), {
    name: 'embedded-database',
    workerData: places,
    // What Node was told about its main program need not fit a thread.
    execArgv: [],
  });
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    worker.once('message', () => resolve());
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('its thread ended')));
  });
  let isStopping = false;
  let failure = new Error('The embedded database ended');
  worker.removeAllListeners('error');
  worker.on('error', (error) => {
    failure = error instanceof Error ? error : new Error(String(error));
  });
  worker.once('exit', () => {
    if (!isStopping) onFailure(failure);
  });
  return async () => {
    if (!isStopping) worker.postMessage('stop');
    isStopping = true;
    await ended;
  };
}
