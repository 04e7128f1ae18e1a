import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
// biome-ignore lint/correctness/noUnresolvedImports: Node 24 has it, the linter's list of built-ins does not
import { DatabaseSync } from 'node:sqlite';
import { ConfigError } from '../../kernel/config-error.ts';
import { inDataFolder, makeFolder } from './file-faults.ts';

export type Lock = { release(): void };

/**
 * Makes the folder (mode 700) and its owner this process, until `release` or its end.
 * @throws ConfigError naming the folder and the process that owns it
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
      `DATA_DIR: ${path} is in use by process ${readOwner(note)}; stop it, or name another folder`,
    ]);
  inDataFolder(path, () => writeFileSync(note, `${process.pid}\n`, { mode: 0o600 }));
  return lock;
}

/** Makes a folder that only its owner may look into; one that exists gets the same mode, if it belongs to this user. */
export function preparePrivateFolder(path: string): void {
  makeFolder(path, 0o700);
  try {
    chmodSync(path, 0o700);
  } catch {
    // A folder of another user, for example a mounted volume, keeps the mode that its owner chose.
  }
}

/** Writes a whole file or none of it, also when the process is killed meanwhile. */
export function replaceFile(path: string, content: string, mode: number): void {
  const next = `${path}.${process.pid}`;
  writeFileSync(next, content, { mode });
  renameSync(next, path);
}

/**
 * An exclusive lock on a file, absent when another holds it for longer than `waitMs`. SQLite takes it by `fcntl`,
 * which Node cannot do by itself: the system gives it back however the process ends, so no lock is ever stale.
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

/** A handle that nothing refers to would be collected, and its lock given up. */
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
