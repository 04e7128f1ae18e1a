import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { programFile } from './processes/programs.ts';
import { programVariables } from './program-variables.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

export type CommandEnd = { code: number | null; stdout: string; stderr: string };

/** `npm run admin -- …` as a separate process, with this environment and no variables of the developer. */
export async function runAdmin(
  env: NodeJS.ProcessEnv,
  args: readonly string[],
  input = '',
): Promise<CommandEnd> {
  const child = spawn(process.execPath, [programFile('shared/tooling/admin/admin.ts'), ...args], {
    cwd: root,
    env: { ...programVariables, HOME: process.env.HOME, ...env },
  });
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.stderr += text;
  });
  child.stdin.on('error', () => undefined).end(input);
  const [code] = await once(child, 'close');
  return { code, ...said };
}
