import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { type EdgeModule, root } from '../build/bundles.ts';

/** What wrangler said when it failed. */
export class WranglerFailed extends Error {
  constructor(args: readonly string[], said: string) {
    super(`wrangler ${args.join(' ')}\n${said.trim()}`);
    this.name = 'WranglerFailed';
  }
}

/** Options by which a deployment is done up to the point of sending: no account is needed. */
export const rehearsalOf = (module: EdgeModule): string[] => [
  '--dry-run',
  '--outdir',
  join(root, 'dist', 'wrangler', module),
];

/**
 * Sets secrets of a Worker in one request; a Worker that is not there is created without code. The values are passed by
 * standard input: arguments are visible to all users of the machine.
 * @throws WranglerFailed, in which no value is shown
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

/** A value may come back as it is, or as part of JSON. */
const masked = (text: string, value: string): string =>
  text.replaceAll(value, '***').replaceAll(JSON.stringify(value).slice(1, -1), '***');

/**
 * Runs wrangler, which asks nothing: its account comes from `CLOUDFLARE_API_TOKEN` and `CLOUDFLARE_ACCOUNT_ID`.
 * @param input its standard input
 * @returns its standard output
 * @throws WranglerFailed
 */
export async function runWrangler(args: readonly string[], input = ''): Promise<string> {
  const child = spawn(join(root, 'node_modules', '.bin', 'wrangler'), [...args], {
    cwd: root,
    // Whoever calls this has bundled all modules; wrangler would have it done again for each of them.
    env: {
      ...process.env,
      WRANGLER_SEND_METRICS: 'false',
      // Its log files and debug output may hold the bodies of requests, and so secrets.
      WRANGLER_WRITE_LOGS: 'false',
      WRANGLER_LOG: 'log',
      WRANGLER_LOG_SANITIZE: 'true',
      CI: '1',
      WORKERS_BUILT: '1',
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // A program that ends early closes the pipe; its exit code tells why.
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
