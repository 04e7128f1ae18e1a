import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The folder of the recordings of this run; undefined: nothing is recorded. */
export const recordFolder = (): string | undefined => process.env.TEST_MAP_FOLDER;

/** The folder of one test file. */
export const folderOf = (folder: string, file: string): string => join(folder, file.replaceAll('/', '__'));

/** What the worker writes of one test file. CPU seconds are those of the worker and of processes that have ended. */
export type OwnRecord = {
  file: string;
  seconds: number;
  cpu: number;
  childrenCpu: number;
  sources: string[];
  /** Faults of a planted tree that were reached. */
  reached: number[];
};

/** Test files that reached the place of each fault. It is written by recorded runs of a tree with faults. */
export const reachFile = '.cache/test/reached.json';
