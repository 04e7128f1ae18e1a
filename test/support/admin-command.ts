import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { endOf, type ProcessEnd } from './processes/output.ts';
import { programFile } from './processes/programs.ts';
import { programVariables } from './program-variables.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** `npm run admin -- …` as a separate process, with this environment and no variables of the developer. */
export function runAdmin(env: NodeJS.ProcessEnv, args: readonly string[], input = ''): Promise<ProcessEnd> {
  const child = spawn(process.execPath, [programFile('shared/tooling/admin/admin.ts'), ...args], {
    cwd: root,
    env: { ...programVariables, HOME: process.env.HOME, ...env },
  });
  const end = endOf(child);
  child.stdin.on('error', () => undefined).end(input);
  return end;
}
