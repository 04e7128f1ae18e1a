import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { type EdgeModule, root } from './bundles.ts';

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
 * Runs wrangler, which asks nothing: its account comes from `CLOUDFLARE_API_TOKEN` and `CLOUDFLARE_ACCOUNT_ID`.
 * @returns its standard output
 * @throws WranglerFailed
 */
export async function runWrangler(args: readonly string[]): Promise<string> {
  const child = spawn(join(root, 'node_modules', '.bin', 'wrangler'), [...args], {
    cwd: root,
    // Whoever calls this has bundled all modules; wrangler would have it done again for each of them.
    env: { ...process.env, WRANGLER_SEND_METRICS: 'false', CI: '1', WORKERS_BUILT: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
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
