import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { areDescriptorsScarce } from '../../../shared/kernel/observability/descriptors.ts';
import { softLimitIn } from '../../../shared/runtime/node/descriptors.ts';
import { whereThereIs } from '../../support/services.ts';

const reader = fileURLToPath(new URL('../../../shared/runtime/node/descriptors.ts', import.meta.url));

/** Counts before, and after all descriptors that the limit allows were opened. */
const script = `
  const { openSync } = await import('node:fs');
  const { createDescriptorReader } = await import(${JSON.stringify(reader)});
  const read = createDescriptorReader();
  const before = await read();
  try { for (;;) openSync('/dev/null'); } catch (error) { if (error.code !== 'EMFILE') throw error; }
  const kept = await read();
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  console.log(JSON.stringify([before, kept, await read()]));`;

whereThereIs('/proc', process.platform === 'linux')('the descriptors of a process', () => {
  it('are counted against the soft limit, also when none is left for the count itself', async () => {
    const command =
      'ulimit -n 90; exec "$0" --disable-warning=ExperimentalWarning --input-type=module -e "$1"';
    const { stdout } = await promisify(execFile)('bash', ['-c', command, process.execPath, script]);
    const [before, kept, after] = JSON.parse(stdout);
    expect(before.max).toBe(90);
    expect(before.open).toBeGreaterThan(3);
    expect(areDescriptorsScarce(before)).toBe(false);
    // At most once per second.
    expect(kept).toEqual(before);
    expect(after).toEqual({ open: 90, max: 90 });
    expect(areDescriptorsScarce(after)).toBe(true);
  });

  it('have no limit where the system has none', () => {
    const line = 'Max open files            1024                 524288               files';
    expect(softLimitIn(`Limit  Soft Limit\n${line}\n`)).toBe(1_024);
    const unlimited = softLimitIn(line.replace('1024     ', 'unlimited'));
    expect(areDescriptorsScarce({ open: 1_000_000, max: unlimited })).toBe(false);
  });
});
