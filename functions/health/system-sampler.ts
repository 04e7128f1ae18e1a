import { statfs } from 'node:fs/promises';
import { type CpuInfo, cpus, machine, release, type, uptime } from 'node:os';
import { mem, type Systeminformation } from 'systeminformation';
import type { Descriptors } from '../../shared/kernel/observability/descriptors.ts';
import { createDescriptorReader } from '../../shared/runtime/node/descriptors.ts';
import { createDiskTotals, type DiskCounters, readDisks } from './disk-counters.ts';

/** Metrics of the host, with the definitions of psutil. Sizes are in bytes. */
export type SystemSample = {
  identity: { machine: string; os: string; version: string };
  uptimeS: number;
  /** Between the last two samples. */
  cpuPercent: number;
  memory: { total: number; available: number; used: number; free: number; percent: number };
  disk: { total: number; used: number; free: number };
  io: DiskCounters;
  /** Of this process; absent on systems without `/proc`. */
  descriptors: Descriptors | undefined;
};

export type SystemSampler = {
  /** Takes a sample. A part that cannot be read keeps its last value, and the error is reported. */
  sample(): Promise<void>;
  latest(): SystemSample;
};

/** Samples the host on request, so that responses read the last sample without a wait. */
export function createSystemSampler(onFailure: (error: unknown) => void): SystemSampler {
  const totals = createDiskTotals();
  let ticks = ticksOf(cpus());
  let cpuPercent = 0;
  let memory: SystemSample['memory'] = { total: 0, available: 0, used: 0, free: 0, percent: 0 };
  let disk: SystemSample['disk'] = { total: 0, used: 0, free: 0 };
  let io = totals(new Map());
  let descriptors: Descriptors | undefined;
  const readDescriptors = createDescriptorReader();
  const readMemory = async () => {
    memory = memoryOf(await mem());
  };
  const readDisk = async () => {
    disk = await rootDisk();
  };
  const readIo = async () => {
    io = totals(await readDisks());
  };
  const countDescriptors = async () => {
    descriptors = await readDescriptors();
  };
  return {
    sample: async () => {
      const now = ticksOf(cpus());
      cpuPercent = busyPercent(ticks, now);
      ticks = now;
      const parts = await Promise.allSettled([readMemory(), readDisk(), readIo(), countDescriptors()]);
      for (const part of parts) if (part.status === 'rejected') onFailure(part.reason);
    },
    latest: () => ({ identity, uptimeS: uptime(), cpuPercent, memory, disk, io, descriptors }),
  };
}

/**
 * psutil's definition of `used`: memory that is neither free nor a reclaimable cache. If the parts do not add up
 * (containers with limits), all memory that is not free.
 */
export function memoryOf(
  read: Pick<
    Systeminformation.MemData,
    'total' | 'free' | 'available' | 'buffers' | 'cached' | 'reclaimable'
  >,
): SystemSample['memory'] {
  const { total, free, available } = read;
  const used = total - free - (read.buffers || 0) - (read.cached || 0) - (read.reclaimable || 0);
  const percent = total > 0 ? Math.round(((total - available) / total) * 1000) / 10 : 0;
  return { total, available, free, used: used >= 0 ? used : total - free, percent };
}

export type Ticks = { busy: number; all: number };

/** CPU load between two samples. systeminformation would start a shell, and wait for it, for each sample. */
export function busyPercent(before: Ticks, now: Ticks): number {
  const all = now.all - before.all;
  const share = all > 0 ? ((now.busy - before.busy) / all) * 100 : 0;
  return Math.round(Math.min(100, Math.max(0, share)) * 10) / 10;
}

const identity = { machine: machine(), os: type(), version: release() };

function ticksOf(processors: readonly CpuInfo[]): Ticks {
  const ticks = { busy: 0, all: 0 };
  for (const { times } of processors) {
    const busy = times.user + times.nice + times.sys + times.irq;
    ticks.busy += busy;
    ticks.all += busy + times.idle;
  }
  return ticks;
}

/**
 * `free` is the space available to users. If blocks are reserved for root, `used` and `free` do not add up to
 * `total`.
 */
async function rootDisk(): Promise<SystemSample['disk']> {
  const { blocks, bfree, bavail, bsize } = await statfs('/');
  return { total: blocks * bsize, used: (blocks - bfree) * bsize, free: bavail * bsize };
}
