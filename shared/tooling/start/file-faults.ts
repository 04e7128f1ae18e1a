import { mkdirSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigError } from '../../kernel/config-error.ts';

/** What a file system said, in the words of an operator. */
const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
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
  ELOOP: 'symbolic links form a circle',
  EIO: 'the disk has an error',
};

/** @returns why the file system refused; undefined for an error of another kind */
export function fileReason(error: unknown): string | undefined {
  const code = codeOf(error);
  return code === undefined ? undefined : reasons[code];
}

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

/** SQLite: SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_FULL, SQLITE_READONLY; the locks of the folder are taken by it. */
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

/** Runs work on the files of `DATA_DIR`. @throws as `dataFolderFault` */
export function inDataFolder<T>(folder: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw dataFolderFault(folder, error);
  }
}

/**
 * @param folder `DATA_DIR` or a folder in it
 * @returns a ConfigError in one line where the file system refused, else the error itself
 */
export function dataFolderFault(folder: string, error: unknown): unknown {
  const reason = fileReason(error) ?? lockReason(error);
  return reason === undefined ? error : fileFault('DATA_DIR', folder, error, reason);
}

/** One line about a path that a variable names. */
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
  DATA_DIR: 'name a folder that this user may write to',
  CONFIG_FILE: 'name a file that this user may read and write',
};

/** Bytes that this user may still write; undefined where the file system does not say. */
export function freeBytes(folder: string): number | undefined {
  try {
    const { blocks, bavail, bsize } = statfsSync(folder);
    // /proc has no blocks at all.
    return blocks > 0 ? bavail * bsize : undefined;
  } catch {
    return undefined;
  }
}

/** Less than a page of the database is left. */
export const isFull = (folder: string): boolean => (freeBytes(folder) ?? Number.POSITIVE_INFINITY) < 8_192;

/**
 * Makes a folder and those above it that are missing. Node's own `recursive` never returns for a folder under `/proc`,
 * which exists and in which none can be made.
 * @throws the error of the file system
 */
export function makeFolder(path: string, mode?: number): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) return;
  const parent = dirname(path);
  if (!found && parent !== path) makeFolder(parent, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process has made it meanwhile.
    if (codeOf(error) !== 'EEXIST' || !statSync(path).isDirectory()) throw error;
  }
}
