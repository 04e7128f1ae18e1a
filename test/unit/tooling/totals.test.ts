import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { limitsBroken } from '../../tooling/run/limits.ts';
import { judged, judgedTier, lineOf, readTotals, sumOf } from '../../tooling/run/totals.ts';

const good = { passed: 3, failed: 0, skipped: 0 };

describe('the closing line of a run', () => {
  it('names skipped tests only if there are some', () => {
    expect(lineOf(good)).toBe('3 passed, 0 failed');
    expect(lineOf({ passed: 3, failed: 1, skipped: 2 })).toBe('3 passed, 1 failed, 2 skipped');
  });

  it('has a failure if the run failed without a failed test', () => {
    expect(judged(good, 1)).toEqual({ ...good, failed: 1 });
    expect(judged({ ...good, failed: 4 }, 1)).toEqual({ ...good, failed: 4 });
    expect(judged(good, 0)).toEqual(good);
  });

  it('adds the totals of all tiers', () => {
    expect(sumOf([good, { passed: 1, failed: 2, skipped: 3 }])).toEqual({ passed: 4, failed: 2, skipped: 3 });
  });
});

describe('a tier', () => {
  it('has failed if it ended without results', () => {
    const folder = mkdtempSync(join(tmpdir(), 'totals-'));
    try {
      expect(judgedTier(readTotals(join(folder, 'none')), 0).failed).toBe(1);
      expect(judgedTier(readTotals(join(folder, 'none')), null).failed).toBe(1);
      writeFileSync(join(folder, 'half'), '{"passed":');
      expect(judgedTier(readTotals(join(folder, 'half')), 0).failed).toBe(1);
      writeFileSync(join(folder, 'whole'), JSON.stringify(good));
      expect(judgedTier(readTotals(join(folder, 'whole')), 0)).toEqual(good);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('has failed if all its tests were skipped, or if it was ended by a signal after its results', () => {
    expect(judgedTier({ passed: 0, failed: 0, skipped: 9 }, 0).failed).toBe(1);
    expect(judgedTier(good, null).failed).toBe(1);
  });
});

describe('the limits of a run', () => {
  const costs = (fast: number, pages: number) => [
    { tier: 'fast' as const, seconds: 1, cpuSeconds: fast },
    { tier: 'pages' as const, seconds: 1, cpuSeconds: pages },
  ];

  it('are those of the fast tier and of all tiers, in CPU seconds', () => {
    expect(limitsBroken(costs(1_440, 3_960), 1)).toEqual([]);
    expect(limitsBroken(costs(1_441, 0), 1)).toEqual([
      'npm test needed 1441 CPU s; the limit is 1440, on this machine 1440',
    ]);
    expect(limitsBroken(costs(1_440, 3_961), 1)).toHaveLength(1);
  });

  it('grow with the time of a password hash', () => {
    expect(limitsBroken(costs(2_880, 0), 2)).toEqual([]);
    expect(limitsBroken(costs(2_881, 0), 2)).toEqual([
      'npm test needed 2881 CPU s; the limit is 1440, on this machine 2880',
    ]);
  });
});
