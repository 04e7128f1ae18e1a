import { expect, test } from 'vitest';
import {
  createDiskTotals,
  type DiskCounters,
  parseDiskstats,
} from '../../../functions/health/disk-counters.ts';
import { busyPercent, createSystemSampler, memoryOf } from '../../../functions/health/system-sampler.ts';

const diskstats = `   7       0 loop0 11 0 22 0 0 0 0 0 0 0 0 0 0 0 0 0 0
 259       0 nvme0n1 100 5 2000 7 50 6 1000 8 0 9 10 0 0 0 0 0 0
 259       1 nvme0n1p1 90 5 1900 7 40 6 900 8 0 9 10 0 0 0 0 0 0
 104       0 cciss/c0d0 1 0 2 0 3 0 4 0 0 0 0
`;
const counters = (reads: number): DiskCounters => ({ reads, writes: 0, readBytes: 0, writtenBytes: 0 });

test('whole disks are read and partitions are not, in sectors of 512 bytes', () => {
  const found = parseDiskstats(diskstats, new Set(['loop0', 'nvme0n1', 'cciss!c0d0']));
  expect([...found]).toEqual([
    ['loop0', { reads: 11, writes: 0, readBytes: 11_264, writtenBytes: 0 }],
    ['nvme0n1', { reads: 100, writes: 50, readBytes: 1_024_000, writtenBytes: 512_000 }],
    ['cciss/c0d0', { reads: 1, writes: 3, readBytes: 1_024, writtenBytes: 2_048 }],
  ]);
});

test('disk totals never decrease, whether a disk is removed or restarts', () => {
  const totals = createDiskTotals();
  const sum = (...disks: [string, number][]) =>
    totals(new Map(disks.map(([name, reads]) => [name, counters(reads)]))).reads;
  expect(sum(['a', 10], ['b', 5])).toBe(15);
  expect(sum(['a', 12])).toBe(17);
  expect(sum(['a', 12], ['b', 2])).toBe(19);
  expect(sum(['a', 1], ['b', 2])).toBe(20);
});

test('memory in use excludes caches, and otherwise is what is not free', () => {
  const read = { total: 1000, free: 100, available: 600, buffers: 50, cached: 400, reclaimable: 50 };
  expect(memoryOf(read)).toEqual({ total: 1000, free: 100, available: 600, used: 400, percent: 40 });
  expect(memoryOf({ ...read, cached: 2000 }).used).toBe(900);
  expect(memoryOf({ ...read, total: 0 }).percent).toBe(0);
});

test('processor load is the busy share between two samples', () => {
  expect(busyPercent({ busy: 100, all: 1000 }, { busy: 125, all: 1100 })).toBe(25);
  expect(busyPercent({ busy: 100, all: 1000 }, { busy: 100, all: 1000 })).toBe(0);
});

test('this host can be sampled', async () => {
  const failures: unknown[] = [];
  const sampler = createSystemSampler((error) => failures.push(error));
  await sampler.sample();
  const { memory, disk, io, identity, uptimeS } = sampler.latest();
  expect(failures).toEqual([]);
  expect(memory.used + memory.free).toBeLessThanOrEqual(memory.total);
  expect(disk.total).toBeGreaterThan(disk.used);
  expect(Object.values(io).every((value) => Number.isSafeInteger(value))).toBe(true);
  expect(Object.values(identity).every(Boolean) && uptimeS > 0).toBe(true);
});
