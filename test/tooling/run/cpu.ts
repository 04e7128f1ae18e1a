import { readFileSync } from 'node:fs';
import { createHasher } from '../../../shared/identity/passwords.ts';

/**
 * CPU seconds of the whole machine since its start, without idle time: processes that tests start, and those that outlive
 * their parents, count. Undefined where the system does not report it.
 */
export function machineCpuSeconds(): number | undefined {
  try {
    const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = (
      /^cpu +(.*)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1] ?? ''
    )
      .split(' ')
      .map(Number);
    return (user + nice + system + irq + softirq) / 100;
  } catch {
    return undefined;
  }
}

/** CPU seconds of one password hash on the machine on which the limits were set. */
const referenceHash = 0.2;

/** How much slower this machine is than that one, by the median of some hashes; at least 1. */
export async function slowness(): Promise<number> {
  const { hash } = createHasher();
  const seconds: number[] = [];
  for (let round = 0; round < 5; round++) {
    const before = process.cpuUsage();
    await hash('correct horse battery staple');
    const { user, system } = process.cpuUsage(before);
    seconds.push((user + system) / 1e6);
  }
  return Math.max(1, (seconds.sort((a, b) => a - b)[2] ?? referenceHash) / referenceHash);
}
