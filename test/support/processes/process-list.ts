import { readdirSync, readFileSync } from 'node:fs';

export type ListedProcess = { pid: number; command: string };

/**
 * Running processes with this text in their environment: those started by a process under test, even if the
 * processes in between have ended. Linux only.
 */
export function processesWith(marker: string): ListedProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      if (!textOf(`/proc/${pid}/environ`).includes(marker)) return [];
      return [{ pid: Number(pid), command: textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim() }];
    });
}

/** Empty for a process that has ended, and for one of another user. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
