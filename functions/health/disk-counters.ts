import { readdir, readFile } from 'node:fs/promises';
import { disksIO, fsStats } from 'systeminformation';

export type DiskCounters = { reads: number; writes: number; readBytes: number; writtenBytes: number };

/**
 * Returns the I/O counters of each disk since the boot of the host. On Linux, `/proc/diskstats` is read directly:
 * systeminformation uses `lsblk`, which lists no disks in many containers, and does not report bytes.
 */
export async function readDisks(): Promise<Map<string, DiskCounters>> {
  if (process.platform !== 'linux') return new Map([['all', await readElsewhere()]]);
  const [text, disks] = await Promise.all([readFile('/proc/diskstats', 'utf8'), readdir('/sys/block')]);
  return parseDiskstats(text, new Set(disks));
}

/**
 * Parses the lines of whole disks, which are what psutil sums: partitions are part of their disk, and virtual disks
 * are disks.
 * @param disks names in `/sys/block`, where a slash in a name is written `!`
 */
export function parseDiskstats(text: string, disks: ReadonlySet<string>): Map<string, DiskCounters> {
  const found = new Map<string, DiskCounters>();
  for (const line of text.split('\n')) {
    const [, , name = '', reads, , readSectors, , writes, , writtenSectors] = line.trim().split(/\s+/);
    if (!disks.has(name.replaceAll('/', '!'))) continue;
    found.set(name, {
      reads: finite(reads),
      writes: finite(writes),
      // The kernel counts in sectors of 512 bytes, independent of the sector size of the disk.
      readBytes: finite(readSectors) * 512,
      writtenBytes: finite(writtenSectors) * 512,
    });
  }
  return found;
}

/**
 * Sums counters so that the sums never decrease: the last values of a disk that disappears stay in the sum, and a
 * counter that restarts (overflow, or another disk with the same name) adds to it.
 */
export function createDiskTotals(): (disks: ReadonlyMap<string, DiskCounters>) => DiskCounters {
  const last = new Map<string, DiskCounters>();
  let total = none;
  return (disks) => {
    for (const [name, now] of disks) {
      total = add(total, now, last.get(name) ?? none);
      last.set(name, now);
    }
    return total;
  };
}

const none: DiskCounters = { reads: 0, writes: 0, readBytes: 0, writtenBytes: 0 };

const finite = (value: unknown): number => {
  const number = Number(value ?? 0);
  return Number.isFinite(number) ? number : 0;
};

const add = (total: DiskCounters, now: DiskCounters, before: DiskCounters): DiskCounters => ({
  reads: total.reads + risen(now.reads, before.reads),
  writes: total.writes + risen(now.writes, before.writes),
  readBytes: total.readBytes + risen(now.readBytes, before.readBytes),
  writtenBytes: total.writtenBytes + risen(now.writtenBytes, before.writtenBytes),
});

const risen = (now: number, before: number): number => (now >= before ? now - before : now);

/** On systems without counters, systeminformation returns null. */
async function readElsewhere(): Promise<DiskCounters> {
  const [io, bytes] = await Promise.all([disksIO(), fsStats()]);
  return {
    reads: finite(io?.rIO),
    writes: finite(io?.wIO),
    readBytes: finite(bytes?.rx),
    writtenBytes: finite(bytes?.wx),
  };
}
