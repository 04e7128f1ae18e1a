import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { appendFile, mkdtemp, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A file system in memory with a limited size. */
export type SmallDisk = {
  folder: string;
  /** Fills the remaining space. */
  fill(): Promise<void>;
  /** Frees that space. */
  free(): void;
  remove(): Promise<void>;
};

const mountAt = (folder: string, megabytes: number): string[] => [
  ...['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=755`, 'tmpfs', folder],
];

/** Whether this user may mount: root, with the capability that containers often lack. */
export function mayMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  const folder = mkdtempSync(join(tmpdir(), 'aggregator-mount-'));
  try {
    if (spawnSync('mount', mountAt(folder, 1)).status !== 0) return false;
    return spawnSync('umount', [folder]).status === 0;
  } finally {
    rmdirSync(folder);
  }
}

export async function mountSmallDisk(megabytes: number): Promise<SmallDisk> {
  const run = promisify(execFile);
  const folder = await mkdtemp(join(tmpdir(), 'aggregator-disk-'));
  await run('mount', mountAt(folder, megabytes));
  const ballast = join(folder, 'ballast');
  return {
    folder,
    fill: async () => {
      writeFileSync(ballast, '');
      // First in large chunks, and then the rest of a page.
      for (const size of [1_048_576, 4_096, 1]) await appendUntilFull(ballast, Buffer.alloc(size));
    },
    free: () => rmSync(ballast),
    remove: async () => {
      await run('umount', [folder]);
      await rmdir(folder);
    },
  };
}

async function appendUntilFull(file: string, piece: Buffer): Promise<void> {
  for (;;) {
    try {
      await appendFile(file, piece);
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') return;
      throw error;
    }
  }
}
