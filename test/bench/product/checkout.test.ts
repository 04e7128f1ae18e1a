import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { root } from '../../e2e/support/portal-process.ts';
import { whereThereIs } from '../../support/services.ts';
import { otherCheckout } from './checkout.ts';

it('a folder with the project is used as it is, and stays', async () => {
  const { folder, remove } = await otherCheckout(root);
  await remove();
  expect([relative(root, folder), existsSync(join(root, 'package.json'))]).toEqual(['', true]);
});

it('a reference that is neither a folder nor a commit is refused', async () => {
  await expect(otherCheckout('no-such-commit')).rejects.toThrow(/neither a checkout nor a commit/);
});

whereThereIs('repository', existsSync(join(root, '.git')))('a commit', () => {
  it('a commit is copied with its packages, can run, and is deleted afterwards', async () => {
    const { folder, remove } = await otherCheckout('HEAD');
    try {
      const program = ['shared/tooling/launch.mjs', 'shared/tooling/admin/admin.ts', '--help'];
      const { stdout, stderr } = await promisify(execFile)(process.execPath, program, { cwd: folder });
      expect(stdout + stderr).toContain('reset-password');
    } finally {
      await remove();
    }
    expect(existsSync(folder)).toBe(false);
  }, 60_000);
});
