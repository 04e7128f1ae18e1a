import { expect } from 'vitest';
import { runPortal } from '../../e2e/support/portal-process.ts';
import { programFile } from './programs.ts';

export const programs = {
  portal: [programFile('functions/all.ts')],
  sidecar: [programFile('functions/health/main.ts')],
  migration: [programFile('shared/tooling/migrate.ts')],
  workers: [programFile('shared/tooling/workers/workers.ts')],
};

/** @returns the lines that a start writes to standard error before it ends with 1, without its log */
export async function refusedStart(
  env: NodeJS.ProcessEnv,
  command: readonly string[] = programs.portal,
): Promise<string[]> {
  const { code, stdout, stderr } = await runPortal({ env, command });
  expect({ code, stdout: stdout.replace(/^\{.*\}\n/gm, '') }, stderr).toEqual({ code: 1, stdout: '' });
  return stderr
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('{'));
}
