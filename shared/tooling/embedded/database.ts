import { Buffer } from 'node:buffer';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { defaultRoles } from '../../../db/roles.ts';
import { ConfigError } from '../../kernel/config-error.ts';
import { embeddedHost } from '../../runtime/embedded-host.ts';
import { ownDataFolder } from '../start/data-folder.ts';
import { freeBytes, inDataFolder, isFull } from '../start/file-faults.ts';
import type { WorkerOptions } from './worker.ts';

export type EmbeddedDatabase = {
  folder: string;
  /** Connection for `pg` over a Unix socket, with the role of the portal. */
  url: string;
  /** With the role that owns the database. */
  ownerUrl: string;
  /** With the role of the sidecar. */
  sidecarUrl: string;
  /** With the superuser. */
  superuserUrl: string;
  /** Rolls back open transactions and closes the database. */
  stop(): Promise<void>;
};

export type EmbeddedDatabaseOptions = {
  /** Created if absent; must contain only the database. */
  folder: string;
  /** Called when the database ends unexpectedly. Default: throws the error, which ends the process. */
  onFailure?: (error: Error) => void;
};

/** The socket name that PostgreSQL clients derive from the port. */
const socketName = '.s.PGSQL.5432';
/** `sun_path` has 108 bytes including the final zero; on macOS 104. */
const maxSocketPath = 103;

/**
 * Starts PGlite in a worker thread, for any number of PostgreSQL clients on this machine. Only the user of this
 * process can connect, with any role and without a password, because the socket is in a folder with mode 700.
 * Acknowledged commits survive a killed process. After a power failure, commits that the operating system has not
 * written to disk are lost.
 * @throws ConfigError if another process uses the folder, or the database does not start
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
  try {
    inDataFolder(folder, () => prepareCluster(folder, places));
  } catch (error) {
    lock.release();
    throw error;
  }
  const free = () => {
    if (sockets !== folder) rmSync(sockets, { recursive: true, force: true });
    lock.release();
  };
  try {
    const stop = await startWorker(places, options.onFailure ?? fail);
    return {
      folder,
      url: urlOf(sockets, defaultRoles.portal),
      ownerUrl: urlOf(sockets, defaultRoles.owner),
      sidecarUrl: urlOf(sockets, defaultRoles.sidecar),
      superuserUrl: urlOf(sockets, 'postgres'),
      stop: () => stop().finally(free),
    };
  } catch (cause) {
    free();
    throw new ConfigError([`DATA_DIR: ${startFault(folder, cause)}`], { cause });
  }
}

function prepareCluster(folder: string, { cluster, complete, socket }: WorkerOptions): void {
  rmSync(socket, { force: true });
  if (existsSync(complete)) {
    // Without this file PGlite would create a new cluster in place of the old one.
    if (!existsSync(join(cluster, 'PG_VERSION')))
      throw new ConfigError([`DATA_DIR: ${damaged(folder, 'PG_VERSION is missing')}`]);
    return;
  }
  // A cluster with an interrupted creation is unusable and contains no acknowledged data.
  rmSync(cluster, { recursive: true, force: true });
  const free = freeBytes(folder);
  if (free !== undefined && free < bytesOfNew)
    throw new ConfigError([
      `DATA_DIR: ${folder} has ${megabytes(free)} MB of free space, and a new database needs ${megabytes(bytesOfNew)} MB; free some space, or set another folder`,
    ]);
}

/** 39 MB for the cluster, the schema, and two segments of the write-ahead log. */
const bytesOfNew = 100_000_000;
const megabytes = (bytes: number): number => Math.floor(bytes / 1_000_000);

function startFault(folder: string, cause: unknown): string {
  if (isFull(folder) || isNoSpace(cause))
    return `the disk of the embedded database in ${folder} is full; free some space`;
  return damaged(folder, cause instanceof Error ? cause.message.split('\n', 1)[0] : String(cause));
}

const damaged = (folder: string, reason: string | undefined): string =>
  `the embedded database in ${folder} does not start (${reason}) and is probably damaged; restore it from a backup, or move the folder away to begin with an empty one`;

/** Emscripten's error is not an `Error`; its numbers are those of WASI: 51 ENOSPC, 19 EDQUOT. */
const isNoSpace = (error: unknown): boolean =>
  error instanceof Object && 'errno' in error && (error.errno === 51 || error.errno === 19);

function socketFolder(folder: string): string {
  const fits = Buffer.byteLength(join(folder, socketName)) <= maxSocketPath;
  return fits ? folder : mkdtempSync(join(tmpdir(), 'aggregator-'));
}

const urlOf = (sockets: string, role: string): string =>
  `postgres://${role}@${embeddedHost}:5432/postgres?host=${encodeURIComponent(sockets)}`;

const fail = (error: Error): never => {
  throw error;
};

async function startWorker(
  places: WorkerOptions,
  onFailure: (error: Error) => void,
): Promise<() => Promise<void>> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    name: 'embedded-database',
    workerData: places,
    // The options of the main program may be invalid for a thread.
    execArgv: [],
  });
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    // Node sends messages of its own from a thread of a program that runs with --watch.
    worker.on('message', (message) => message === 'ready' && resolve());
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
