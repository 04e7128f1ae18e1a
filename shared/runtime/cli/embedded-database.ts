import { Buffer } from 'node:buffer';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ownDataFolder } from './data-folder.ts';
import type { WorkerOptions } from './embedded-database-worker.ts';
import { embeddedRoles } from './embedded-roles.ts';

export type EmbeddedDatabase = {
  /** For `pg`: the database as its superuser over a Unix socket. */
  url: string;
  /** The same as `aggregator_owner`, which owns the database. */
  ownerUrl: string;
  /** The same as `aggregator_sidecar`. */
  sidecarUrl: string;
  /** The same as the superuser `postgres`. */
  adminUrl: string;
  /** Rolls back open transactions and closes the database. */
  stop(): Promise<void>;
};

export type EmbeddedDatabaseOptions = {
  /** Is created when absent, and holds nothing but the database. */
  folder: string;
  /** Is called when the database ends by itself. The default throws the error, which ends the process. */
  onFailure?: (error: Error) => void;
};

/** The name that PostgreSQL clients derive from directory and port. */
const socketName = '.s.PGSQL.5432';
/** `sun_path` holds 108 bytes with the closing zero; macOS has 104. */
const maxSocketPath = 103;

/**
 * Starts PGlite in a worker thread, for any number of PostgreSQL clients on this machine. Only the user of this process
 * can connect, with any role: the socket is in a folder of mode 700, and no password is asked for.
 * Acknowledged commits survive a killed process. After a power failure, those that the operating system has not yet
 * written back are lost.
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
  // A cluster whose creation was interrupted is unusable, and has acknowledged nothing.
  if (!existsSync(places.complete)) rmSync(places.cluster, { recursive: true, force: true });
  rmSync(places.socket, { force: true });
  const free = () => {
    if (sockets !== folder) rmSync(sockets, { recursive: true, force: true });
    lock.release();
  };
  try {
    const stop = await startWorker(places, options.onFailure ?? fail);
    return {
      url: urlOf(sockets, 'postgres'),
      ownerUrl: urlOf(sockets, embeddedRoles.owner),
      sidecarUrl: urlOf(sockets, embeddedRoles.sidecar),
      adminUrl: urlOf(sockets, 'postgres'),
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
    // The options of the main program may not be valid for a thread.
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
