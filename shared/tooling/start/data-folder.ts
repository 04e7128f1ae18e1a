import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
// biome-ignore lint/correctness/noUnresolvedImports: built into Node 24, but missing in the linter's list
import { DatabaseSync } from 'node:sqlite';
import { ConfigError } from '../../kernel/config-error.ts';
import { inDataFolder, makeFolder } from './file-faults.ts';

export type Lock = { release(): void };

/**
 * Creates the folder (mode 700) and locks it for this process, until `release` or the end of the process.
 * @throws ConfigError with the folder and the process that holds the lock
 */
export function ownDataFolder(folder: string): Lock {
  const path = resolve(folder);
  const note = join(path, 'owner.pid');
  const lock = inDataFolder(path, () => {
    preparePrivateFolder(path);
    return tryLock(join(path, 'owner.lock'), 0);
  });
  if (!lock)
    throw new ConfigError([
      `DATA_DIR: ${path} is in use by process ${readOwner(note)}; stop it, or set another folder`,
    ]);
  inDataFolder(path, () => writeFileSync(note, `${process.pid}\n`, { mode: 0o600 }));
  return lock;
}

/** Creates a private folder; an existing one gets the same mode if this user owns it. */
export function preparePrivateFolder(path: string): void {
  makeFolder(path, 0o700);
  try {
    chmodSync(path, 0o700);
  } catch {
    // A folder of another user, for example a mounted volume, keeps its mode.
  }
}

/** Replaces a file atomically, also if the process is killed meanwhile. */
export function replaceFile(path: string, content: string, mode: number): void {
  const next = `${path}.${process.pid}`;
  writeFileSync(next, content, { mode });
  renameSync(next, path);
}

/**
 * Takes an exclusive lock on a file; undefined if another process holds it for longer than `waitMs`. SQLite locks
 * with `fcntl`, which Node does not offer. The system releases the lock when the process ends, so that a lock is
 * never stale.
 */
export function tryLock(file: string, waitMs: number): Lock | undefined {
  const handle = new DatabaseSync(file, { timeout: waitMs });
  try {
    handle.exec('begin exclusive');
  } catch (error) {
    handle.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
  held.add(handle);
  return {
    release: () => {
      if (held.delete(handle)) handle.close();
    },
  };
}

/** Keeps a reference: garbage collection of a handle would release its lock. */
const held = new Set<DatabaseSync>();

/** SQLITE_BUSY */
const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && error.errcode === 5;

function readOwner(note: string): string {
  try {
    return readFileSync(note, 'utf8').trim() || '(unknown)';
  } catch {
    return '(unknown)';
  }
}
