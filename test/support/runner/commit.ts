import { execFileSync } from 'node:child_process';
import { root } from '../../e2e/support/portal-process.ts';

/** CI runs what other runs take a sample of. */
export const isThorough = process.env.CI === 'true';

/**
 * A number that the commit of the work tree determines, for samples: a failure is repeated by the next run, and other
 * commits take other samples. Outside of a clone it is 0.
 */
export function commitNumber(): number {
  try {
    const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8', stdio: 'pipe' });
    return Number.parseInt(commit.slice(0, 7), 16);
  } catch {
    return 0;
  }
}
