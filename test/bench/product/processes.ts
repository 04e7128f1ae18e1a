import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { rounded } from '../load.ts';

/** Resident memory of a process and all its descendants, in MB. */
export type Memory = { rest_mb: number; peak_mb: number; after_mb: number };

const everyMs = 500;

/** @param pid the first of the measured processes */
export async function memoryDuring<T>(
  pid: number,
  work: () => Promise<T>,
): Promise<{ value: T; memory: Memory }> {
  const rest_mb = await residentMb(pid);
  let peak_mb = rest_mb;
  const timer = setInterval(async () => {
    peak_mb = Math.max(peak_mb, await residentMb(pid));
  }, everyMs);
  try {
    const value = await work();
    const after_mb = await residentMb(pid);
    return { value, memory: { rest_mb, peak_mb: Math.max(peak_mb, after_mb), after_mb } };
  } finally {
    clearInterval(timer);
  }
}

export const residentMb = async (pid: number): Promise<number> =>
  rounded((await familyOf(pid)).reduce((sum, { kb }) => sum + kb, 0) / 1024, 1);

/** Open files and sockets; zero where the system does not report them. */
export async function openHandles(pid: number): Promise<number> {
  const family = await familyOf(pid);
  const lists = await Promise.all(family.map((one) => readdir(`/proc/${one.pid}/fd`).catch(() => [])));
  return lists.reduce((sum, { length }) => sum + length, 0);
}

/** A process and all its descendants. */
async function familyOf(pid: number): Promise<{ pid: number; kb: number }[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,rss=']);
  const rows = stdout
    .trim()
    .split('\n')
    .map((line) => {
      const [own = 0, parent = 0, kb = 0] = line.trim().split(/\s+/).map(Number);
      return { pid: own, parent, kb };
    });
  const family = new Set([pid]);
  for (let before = 0; before < family.size; ) {
    before = family.size;
    for (const { pid: child, parent } of rows) if (family.has(parent)) family.add(child);
  }
  return rows.filter((one) => family.has(one.pid));
}

/** Memory of a process and all its descendants. Proportional memory divides shared pages between their processes. */
export type RestingMemory = { rss_mb: number; pss_mb: number | null };

export async function restingMemory(pid: number): Promise<RestingMemory> {
  const family = await familyOf(pid);
  const pss = await Promise.all(family.map((one) => proportionalKb(one.pid)));
  const total = pss.reduce<number | null>((sum, kb) => (sum === null || kb === null ? null : sum + kb), 0);
  return {
    rss_mb: rounded(family.reduce((sum, { kb }) => sum + kb, 0) / 1024, 0),
    pss_mb: total === null ? null : rounded(total / 1024, 0),
  };
}

async function proportionalKb(pid: number): Promise<number | null> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  const found = /^Pss:\s+(\d+) kB/m.exec(text)?.[1];
  return found === undefined ? null : Number(found);
}
