import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

export type ProcessOutput = { stdout: string; stderr: string };
export type ProcessEnd = ProcessOutput & { code: number | null };

/** Collects the output of a process; the members grow while it runs. */
export function outputOf({ stdout, stderr }: ChildProcess): ProcessOutput {
  const output = { stdout: '', stderr: '' };
  stdout?.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  stderr?.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  return output;
}

/** Waits until the output of a process is closed, which its descendants may have open as well. */
export async function endOf(child: ChildProcess, output = outputOf(child)): Promise<ProcessEnd> {
  const [code] = await once(child, 'close');
  return { code, ...output };
}
