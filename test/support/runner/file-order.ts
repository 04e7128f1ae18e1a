import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { root } from '../../tooling/map/recordings.ts';
import { readMap } from '../../tooling/map/test-map.ts';
import { projects } from '../../tooling/run/tiers.ts';

/**
 * Files of a project stay together, so that its workers load the modules once. In a project the longest files come first,
 * so that no worker is left with one at the end; `TEST_ORDER=cheapest` reverses it, to find a failure soon. The costs are those
 * of the recorded map. Files without one are ordered by vitest: by the times of the last run, or by size.
 */
export class FileOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const map = readMap();
    const direction = process.env.TEST_ORDER === 'cheapest' ? 1 : -1;
    const costOf = ({ moduleId }: TestSpecification) => map?.get(relative(root, moduleId))?.cpuSeconds ?? 0;
    const rankOf = ({ project }: TestSpecification) =>
      projects.findIndex(({ name }) => name === project.name);
    return (await super.sort(files)).toSorted(
      (a, b) => rankOf(a) - rankOf(b) || direction * (costOf(a) - costOf(b)),
    );
  }
}
