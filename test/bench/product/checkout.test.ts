import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../e2e/support/portal-process.ts';
import { whereThereIs } from '../../support/services.ts';
import { otherCheckout } from './checkout.ts';

it('PERF-4: a folder with the project is used as it is, and stays', async () => {
  const { folder, remove } = await otherCheckout(root);
  await remove();
  expect([join(folder, 'x'), existsSync(join(root, 'package.json'))]).toEqual([join(root, 'x'), true]);
});

it('PERF-4: a reference that is neither a folder nor a commit is refused', async () => {
  await expect(otherCheckout('no-such-commit')).rejects.toThrow(/neither a checkout nor a commit/);
});

whereThereIs('repository', existsSync(join(root, '.git')))('a commit', () => {
  it('PERF-4: a commit is copied with its packages, and deleted afterwards', async () => {
    const { folder, remove } = await otherCheckout('HEAD');
    try {
      const launcher = await stat(join(folder, 'shared/tooling/launch.mjs'));
      expect([launcher.isFile(), existsSync(join(folder, 'package-lock.json'))]).toEqual([true, true]);
    } finally {
      await remove();
    }
    expect(existsSync(folder)).toBe(false);
  }, 60_000);
});
