import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Milliseconds: to load the bundle, and to its first answer; `total_ms` is both. */
export type LambdaStart = { import_ms: number; first_ms: number; total_ms: number };

const program = fileURLToPath(new URL('lambda-instance.ts', import.meta.url));

/** One start of a function in a new Node process, with one request. @throws Error for a status other than 401 */
export async function startLambda(
  file: string,
  route: string,
  variables: Readonly<Record<string, string>>,
): Promise<LambdaStart> {
  const args = ['--disable-warning=ExperimentalWarning', program, file, route];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: variables });
  const { import_ms, first_ms }: LambdaStart = JSON.parse(stdout);
  return { import_ms, first_ms, total_ms: import_ms + first_ms };
}
