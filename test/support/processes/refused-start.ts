import { expect } from 'vitest';
import { runPortal } from '../../e2e/support/portal-process.ts';

const node = '--disable-warning=ExperimentalWarning';
export const programs = {
  portal: [node, 'functions/all.ts'],
  sidecar: [node, 'functions/health/main.ts'],
  migration: [node, 'shared/tooling/migrate.ts'],
  workers: [node, 'shared/tooling/workers/workers.ts'],
};

/** @returns the lines that a start writes to standard error before it ends with 1; what it logs is left out */
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
