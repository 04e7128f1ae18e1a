import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createWriteMonitor } from '../../../shared/kernel/observability/write-monitor.ts';

const failing = async () => {
  throw new Error('read-only');
};

function start() {
  const time = { ms: 0 };
  const checks: string[] = [];
  const failures: unknown[] = [];
  const succeed = (): Promise<void> => Promise.resolve();
  const database = { write: succeed, space: succeed };
  const check = (kind: keyof typeof database) => async () => {
    checks.push(`${kind} at ${time.ms / 1000}`);
    await database[kind]();
  };
  const monitor = createWriteMonitor({
    checkWrite: check('write'),
    checkSpace: check('space'),
    onFailure: (error) => failures.push(error),
    now: () => time.ms,
  });
  const at = (seconds: number): Promise<boolean> => {
    time.ms = seconds * 1000;
    return monitor.acceptsWrites();
  };
  return { ...monitor, at, checks, failures, database, time };
}

describe('the write monitor', () => {
  it('writes by itself without other writes, and then not for a minute', async () => {
    const { at, checks } = start();
    for (const second of [0, 1, 5, 9]) expect(await at(second)).toBe(true);
    expect(checks).toEqual(['write at 0']);
    for (let second = 10; second <= 60; second++) expect(await at(second)).toBe(true);
    expect(checks.filter((check) => check.startsWith('write'))).toEqual(['write at 0']);
    for (const second of [61, 64, 65]) expect(await at(second)).toBe(true);
    expect(checks.at(-1)).toBe('write at 65');
  });

  it('accepts any write of the process for a minute, and checks free space every ten seconds', async () => {
    const { at, checks, observe } = start();
    expect(await observe(async () => 'result')).toBe('result');
    for (let second = 0; second <= 30; second++) {
      if (second % 10 === 5) await observe(async () => undefined);
      expect(await at(second)).toBe(true);
    }
    expect(checks).toEqual(['space at 0', 'space at 10', 'space at 20', 'space at 30']);
  });

  it('fails with a failed write until a check of its own succeeds, one every five seconds', async () => {
    const { at, checks, failures, observe, database } = start();
    await at(0);
    database.write = failing;
    await expect(observe(failing)).rejects.toThrow('read-only');
    expect(await at(1)).toBe(false);
    expect(checks).toEqual(['write at 0']);
    for (let second = 2; second <= 14; second++) expect(await at(second)).toBe(false);
    expect(checks).toEqual(['write at 0', 'write at 5', 'write at 10']);
    expect(failures).toHaveLength(2);
    database.write = async () => undefined;
    // A write that needs no space succeeds on a full disk as well.
    await observe(async () => undefined);
    expect(await at(14.9)).toBe(false);
    expect(await at(15)).toBe(true);
    expect(checks.at(-1)).toBe('write at 15');
  });

  it('fails without free space, although writes succeed', async () => {
    const { at, observe, database } = start();
    await observe(async () => undefined);
    database.space = failing;
    database.write = failing;
    expect(await at(1)).toBe(false);
    await observe(async () => undefined);
    expect(await at(7)).toBe(false);
    database.write = async () => undefined;
    expect(await at(12)).toBe(true);
  });

  it('runs one check for any number of callers', async () => {
    const { acceptsWrites, checks, database } = start();
    const writing = Promise.withResolvers<void>();
    database.write = () => writing.promise;
    const answers = Array.from({ length: 500 }, () => acceptsWrites());
    await delay(50);
    writing.resolve();
    expect(new Set(await Promise.all(answers))).toEqual(new Set([true]));
    expect(checks).toEqual(['write at 0']);
  });

  it('answers while a check hangs, and uses its late result', async () => {
    const { acceptsWrites, checks, database, time } = start();
    const hanging = Promise.withResolvers<void>();
    database.write = () => hanging.promise;
    const first = acceptsWrites();
    expect(await first).toBe(false);
    expect(await acceptsWrites()).toBe(false);
    hanging.resolve();
    await delay(0);
    expect(await acceptsWrites()).toBe(true);
    expect(checks).toHaveLength(1);
    expect(time.ms).toBe(0);
  });

  it('does not replace a later success by an old failure', async () => {
    const { at, observe, time } = start();
    const old = Promise.withResolvers<void>();
    const writing = observe(() => old.promise);
    expect(await at(10)).toBe(true);
    old.reject(new Error('timeout'));
    await expect(writing).rejects.toThrow('timeout');
    time.ms = 11_000;
    expect(await at(11)).toBe(true);
  });
});
