import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files of 15 s and more on two idle processors: they start programs, bundle modules or wait for leases. */
const longest = [
  'contract/generated/bad-input',
  'e2e/upgrade',
  'e2e/workers',
  'e2e/life-cycle',
  'e2e/node',
  'e2e/lambda',
  'e2e/twins/comparison',
  'e2e/twins/differential',
  'e2e/first-hour',
  'e2e/npm-start',
  'runtime/start/signals',
  'runtime/deploy/deploy',
  'runtime/deploy/secrets',
  'runtime/start/secret-key',
  'runtime/start/errors',
  'services/database/start-errors',
  'runtime/configuration/command',
  'runtime/admin/admin',
  'runtime/start/secret-key-edge',
  'services/database/roles',
  'services/database/limits',
  'services/jobs/sidecar',
  'services/jobs/sidecar-takeover',
  'services/jobs/queue',
  'services/exports/swift',
  'services/monitoring/probes',
  'runtime/embedded/database',
  'services/directories/ad',
  'api/audit/histories',
  'api/audit/chain',
  'api/identity/last-administrator',
].map((name) => `/test/${name}.test.ts`);

const rankOf = ({ moduleId }: TestSpecification): number => {
  const rank = longest.findIndex((path) => moduleId.endsWith(path));
  return rank === -1 ? longest.length : rank;
};

/**
 * The longest files of a project first, so that no worker is left with one at the end. Vitest orders by the times of
 * the last run, which a fresh checkout does not have; then it runs the largest files first.
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
