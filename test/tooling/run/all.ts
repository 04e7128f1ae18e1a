import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RunRequest } from './arguments.ts';
import { machineCpuSeconds, slowness } from './cpu.ts';
import { limitsBroken, type TierCost } from './limits.ts';
import { type TierName, tierNames } from './tiers.ts';
import { judgedTier, lineOf, readTotals, sumOf, type Totals } from './totals.ts';

type TierResult = TierCost & { totals: Totals };

const program = fileURLToPath(new URL('main.ts', import.meta.url));

/**
 * Runs all tiers, one after the other, each in a process of its own, and ends with one line with the totals.
 * `LIMIT_CPU=1`: a run that needs more CPU time than its limit fails.
 * @returns exit code
 */
export async function runAll({ record, options }: RunRequest): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'aggregator-tests-'));
  const results: TierResult[] = [];
  try {
    for (const tier of tierNames)
      results.push(await runTier(tier, join(folder, tier), [...options, ...(record ? ['--record'] : [])]));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  for (const { tier, totals, seconds, cpuSeconds } of results)
    process.stdout.write(
      `the tier ${tier}: ${lineOf(totals)}; ${seconds} s${cpuSeconds === undefined ? '' : `, ${cpuSeconds} CPU s`}\n`,
    );
  const broken = process.env.LIMIT_CPU === '1' ? limitsBroken(results, await slowness()) : [];
  for (const line of broken) process.stdout.write(`${line}\n`);
  const totals = sumOf(results.map((result) => result.totals));
  const failed = totals.failed + broken.length;
  process.stdout.write(`${lineOf({ ...totals, failed })}\n`);
  return failed === 0 ? 0 : 1;
}

async function runTier(tier: TierName, totalsFile: string, options: readonly string[]): Promise<TierResult> {
  const [started, cpuBefore] = [performance.now(), machineCpuSeconds()];
  process.stdout.write(`\nthe tier ${tier}\n`);
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', program, tier, ...options],
    {
      stdio: 'inherit',
      env: { ...process.env, TEST_TOTALS_FILE: totalsFile },
    },
  );
  const code = await new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null));
    child.once('exit', resolve);
  });
  const cpuAfter = machineCpuSeconds();
  return {
    tier,
    totals: judgedTier(readTotals(totalsFile), code),
    seconds: Math.round((performance.now() - started) / 1000),
    cpuSeconds:
      cpuBefore === undefined || cpuAfter === undefined ? undefined : Math.round(cpuAfter - cpuBefore),
  };
}
