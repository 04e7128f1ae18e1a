import { readFile } from 'node:fs/promises';

/** CPU time of a process on all its threads, in milliseconds. Null without a process, or outside of Linux. */
export async function cpuMs(pid: number | undefined): Promise<number | null> {
  const text = pid === undefined ? '' : await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name of the program, in parentheses, may contain spaces. User and system time are fields 14 and 15.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  if (fields.length < 13) return null;
  return (Number(fields[11]) + Number(fields[12])) * msPerTick;
}

/** USER_HZ of Linux on all common architectures. */
const msPerTick = 10;
