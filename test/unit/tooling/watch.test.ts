import { spawn } from 'node:child_process';
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../../shared/tooling/build/bundles.ts';
import { endOf, outputOf } from '../../support/processes/output.ts';
import { programVariables } from '../../support/program-variables.ts';

it('npm test -- --watch runs the tests again when a source changes', async () => {
  const program = ['shared/tooling/launch.mjs', 'test/tooling/run/main.ts', 'fast'];
  const child = spawn(process.execPath, [...program, '--watch', 'test/unit/tooling/totals.test.ts'], {
    cwd: root,
    env: { ...programVariables, NO_COLOR: '1' },
  });
  const output = outputOf(child);
  const ended = endOf(child, output);
  const passes = () => output.stdout.split(/Tests +\d+ passed/).length - 1;
  const isWaiting = () => output.stdout.split('Waiting for file changes').length - 1;
  await expect.poll(isWaiting).toBe(1);
  expect(passes()).toBe(1);
  const now = new Date();
  utimesSync(join(root, 'test/tooling/run/totals.ts'), now, now);
  await expect.poll(passes).toBe(2);
  child.kill();
  await ended;
});
