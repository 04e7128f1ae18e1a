import { join } from 'node:path';
import { writeTemplate } from '../deploy/lambda-template.ts';
import { dryRunArguments, runWrangler } from '../deploy/wrangler.ts';
import { orEnd } from '../start/fatal.ts';
import { writeAssets } from './asset-files.ts';
import { type Bundle, bundleAll, type EdgeModule, edgeModules, root } from './bundles.ts';
import { buildClient } from './client-package.ts';
import { pageLine, pageSizes, pagesOverBudget } from './page-sizes.ts';

/** Budgets for the compressed size of Workers in kB of 1000 bytes, because the size affects cold starts. */
export const budgets: Record<EdgeModule, number> = {
  // Issues certificates for the endpoints of agents.
  agent: 348,
  aggregator: 221,
  // Also serves the files of the sign-in page.
  auth: 374,
  client: 261,
  console: 189,
  // Has the explanations of all problem codes in both languages.
  discover: 203,
  federation: 340,
  home: 193,
  ssa: 195,
  userinfo: 274,
  // Has the forms of domains and the test of identity providers, with their texts in both languages.
  webui: 449,
  wsproxy: 195,
};

/**
 * `npm run build`: bundles of all modules for Workers and Lambda in `dist/`, with their sizes. `--workers` builds
 * only the Workers, as the build command of wrangler, and does nothing if `WORKERS_BUILT=1`; `--no-dry-run` skips
 * wrangler.
 */
async function main(args: readonly string[]): Promise<void> {
  if (args.includes('--workers') && process.env.WORKERS_BUILT === '1') return;
  const workers = await bundleAll('workers');
  if (args.includes('--workers')) return;
  const lambda = await bundleAll('lambda');
  await buildClient();
  await writeTemplate();
  process.stdout.write(tableOf(workers, lambda));
  const assets = join(root, 'dist', 'workers', 'assets');
  process.stdout.write(assetLine(await writeAssets(assets)));
  const pages = await pageSizes(assets);
  process.stdout.write(pages.map(pageLine).join(''));
  const faults = [...overBudget(workers), ...pagesOverBudget(pages)];
  if (faults.length > 0) throw new Error(faults.join('\n'));
  if (args.includes('--no-dry-run')) return;
  for (const module of edgeModules) await dryRun(module);
  process.stdout.write(`wrangler would deploy ${edgeModules.join(', ')}\n`);
}

/** @returns a line for each Worker above its budget */
export const overBudget = (workers: readonly Bundle[]): string[] =>
  workers
    .filter(({ module, gzipBytes }) => gzipBytes > budgets[module] * 1000)
    .map(
      ({ module, gzipBytes }) =>
        `The Worker ${module} has ${kilobytes(gzipBytes)} kB compressed, above its budget of ${budgets[module]} kB`,
    );

const kilobytes = (bytes: number): string => (bytes / 1000).toFixed(1);

function tableOf(workers: readonly Bundle[], lambda: readonly Bundle[]): string {
  const rows = workers.map(({ module, bytes, gzipBytes }) => {
    const other = lambda.find((bundle) => bundle.module === module);
    const sizes = [bytes, gzipBytes].map(kilobytes);
    const others = [other?.bytes ?? 0, other?.gzipBytes ?? 0].map(kilobytes);
    return [module, ...sizes, String(budgets[module]), ...others];
  });
  const head = ['kB', 'Worker', 'gzip -9', 'budget', 'Lambda', 'gzip -9'];
  return [head, ...rows].map(lineOf).join('');
}

/** Assets are uploaded separately and do not affect cold starts. */
function assetLine(sizes: Readonly<Record<string, number>>): string {
  const all = Object.values(sizes).reduce((sum, size) => sum + size, 0);
  return `assets apart from the bundles: ${Object.keys(sizes).length} files, ${kilobytes(all)} kB\n`;
}

const lineOf = ([name = '', ...cells]: readonly string[]): string =>
  `${name.padEnd(10)}${cells.map((cell) => cell.padStart(9)).join('')}\n`;

/** Dry run of a deployment without an account: wrangler reads its configuration and the bundle. */
const dryRun = (module: EdgeModule): Promise<string> =>
  runWrangler(['deploy', '--env', module, ...dryRunArguments(module)]);

if (import.meta.main) await orEnd(() => main(process.argv.slice(2)));
