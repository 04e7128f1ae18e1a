import { basename } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files of 15 s and more on two idle processors: they start programs, bundle modules or wait for leases. */
const longest = [
  'bad-input',
  'upgrade',
  'workers',
  'life-cycle',
  'node',
  'lambda',
  'comparison',
  'differential',
  'first-hour',
  'npm-start',
  'start-signals',
  'deploy',
  'deploy-secrets',
  'secret-key',
  'start-errors',
  'start-errors-database',
  'command',
  'admin',
  'secret-key-edge',
  'database-roles',
  'database-limits',
  'sidecar',
  'sidecar-takeover',
  'job-queue',
  'exports-swift',
  'probes-of-a-fleet',
  'embedded-database',
  'directory-ad',
  'histories',
  'audit-chain',
  'last-administrator',
].map((name) => `${name}.test.ts`);

const rankOf = ({ moduleId }: TestSpecification): number => {
  const rank = longest.indexOf(basename(moduleId));
  return rank === -1 ? longest.length : rank;
};

/**
 * The longest files of a project first, so that no worker is left with one at the end. Vitest orders by the times of
 * the last run, which a fresh checkout does not have; then it takes the largest files for the longest.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted(
      (a, b) => projectOrder(a, sorted) - projectOrder(b, sorted) || rankOf(a) - rankOf(b),
    );
  }
}

/** Files of a project stay together, in the order of the base. */
const projectOrder = ({ project }: TestSpecification, sorted: readonly TestSpecification[]): number =>
  sorted.findIndex((other) => other.project === project);
