import { mkdirSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigError } from '../../kernel/config-error.ts';

/** File system errors in words for operators. */
const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'the file or folder does not exist',
  ENOTDIR: 'a part of the path is a file',
  EISDIR: 'it is a folder',
  EEXIST: 'it is a file',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EMFILE: 'the process has too many open files',
  ENFILE: 'the machine has too many open files',
  ENAMETOOLONG: 'the path is too long',
  ELOOP: 'symbolic links form a loop',
  EIO: 'the disk has an error',
};

/** @returns the reason of a file system error; undefined for other errors */
export function fileReason(error: unknown): string | undefined {
  const code = codeOf(error);
  return code === undefined ? undefined : reasons[code];
}

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

/** SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_FULL and SQLITE_READONLY, from the lock files. */
const sqliteReasons: Readonly<Record<number, string>> = {
  8: 'the file system is read-only',
  10: 'the disk has an error',
  13: 'the disk is full',
  14: 'a file in it cannot be opened',
};

function lockReason(error: unknown): string | undefined {
  const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0;
  return sqliteReasons[code];
}

/** Runs file operations in `DATA_DIR`. @throws as `dataFolderFault` */
export function inDataFolder<T>(folder: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw dataFolderFault(folder, error);
  }
}

/**
 * @param folder `DATA_DIR` or a folder in it
 * @returns a ConfigError with one line for a file system error, otherwise the unchanged error
 */
export function dataFolderFault(folder: string, error: unknown): unknown {
  const reason = fileReason(error) ?? lockReason(error);
  return reason === undefined ? error : fileFault('DATA_DIR', folder, error, reason);
}

/** One line about a path in a variable. */
export function fileFault(
  variable: string,
  path: string,
  cause: unknown,
  reason = fileReason(cause) ?? String(cause),
): ConfigError {
  const refused = cause instanceof Error && 'path' in cause ? String(cause.path) : path;
  const why = isFull(dirname(refused)) ? 'the disk is full' : reason;
  const remedy = /full|quota/.test(why) ? 'free some space' : remedies[variable];
  return new ConfigError([`${variable}: ${refused} cannot be used (${why}); ${remedy}`], { cause });
}

const remedies: Readonly<Record<string, string>> = {
  DATA_DIR: 'set a folder that this user can write to',
  CONFIG_FILE: 'set a file that this user can read and write',
};

/** Bytes available to this user; undefined if the file system does not report them. */
export function freeBytes(folder: string): number | undefined {
  try {
    const { blocks, bavail, bsize } = statfsSync(folder);
    // /proc reports no blocks.
    return blocks > 0 ? bavail * bsize : undefined;
  } catch {
    return undefined;
  }
}

/** True if less than one page of the database is free. */
export const isFull = (folder: string): boolean => (freeBytes(folder) ?? Number.POSITIVE_INFINITY) < 8_192;

/**
 * Creates a folder and its missing parents. Node's `recursive` option never returns for a folder below `/proc`, which
 * is not writable.
 * @throws the file system error
 */
export function makeFolder(path: string, mode?: number): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) return;
  const parent = dirname(path);
  if (!found && parent !== path) makeFolder(parent, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process has created it meanwhile.
    if (codeOf(error) !== 'EEXIST' || !statSync(path).isDirectory()) throw error;
  }
}
