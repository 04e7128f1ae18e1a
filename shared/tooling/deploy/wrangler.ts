import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { type EdgeModule, root } from '../build/bundles.ts';

/** A failed run of wrangler, with its output. */
export class WranglerFailed extends Error {
  constructor(args: readonly string[], output: string) {
    super(`wrangler ${args.join(' ')}\n${output.trim()}`);
    this.name = 'WranglerFailed';
  }
}

/** Options of a dry run up to the upload; needs no account. */
export const dryRunArguments = (module: EdgeModule): string[] => [
  '--dry-run',
  '--outdir',
  join(root, 'dist', 'wrangler', module),
];

/**
 * Sets secrets of a Worker in one request; a missing Worker is created without code. Values are passed through
 * standard input, because arguments are visible to all users of the machine.
 * @throws WranglerFailed, with values masked
 */
export async function putSecrets(
  module: EdgeModule,
  secrets: Readonly<Record<string, string>>,
): Promise<void> {
  await runWrangler(['secret', 'bulk', '--env', module], JSON.stringify(secrets)).catch((error) => {
    if (!(error instanceof WranglerFailed)) throw error;
    const shown = Object.values(secrets).reduce((text, value) => masked(text, value), error.message);
    error.message = shown;
    error.stack = shown;
    throw error;
  });
}

/** The output may contain a value literally or as part of JSON. */
const masked = (text: string, value: string): string =>
  text.replaceAll(value, '***').replaceAll(JSON.stringify(value).slice(1, -1), '***');

/**
 * Runs wrangler without prompts; the account is set by `CLOUDFLARE_API_TOKEN` and `CLOUDFLARE_ACCOUNT_ID`.
 * @param input standard input
 * @returns standard output
 * @throws WranglerFailed
 */
export async function runWrangler(args: readonly string[], input = ''): Promise<string> {
  const child = spawn(join(root, 'node_modules', '.bin', 'wrangler'), [...args], {
    cwd: root,
    // All modules are bundled already; wrangler would bundle them again for each module.
    env: {
      ...process.env,
      WRANGLER_SEND_METRICS: 'false',
      // Log files and debug output may contain request bodies, and therefore secrets.
      WRANGLER_WRITE_LOGS: 'false',
      WRANGLER_LOG: 'log',
      WRANGLER_LOG_SANITIZE: 'true',
      CI: '1',
      WORKERS_BUILT: '1',
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // A program that exits early closes the pipe; its exit code gives the reason.
  child.stdin.on('error', () => undefined).end(input);
  let [output, everything] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    everything += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    everything += text;
  });
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (code !== 0) throw new WranglerFailed(args, everything);
  return output;
}
