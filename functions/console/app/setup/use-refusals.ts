import { useEffect } from 'preact/hooks';
import type { Problem } from '../../../../shared/web/problems/problem.ts';
import { type Faults, faultsOf } from './use-setup.ts';

/**
 * Shows the faults of a refused request at the members that they concern.
 * @param within where the body of the request is in the body of the creation
 * @returns the problem if it concerns none of the members
 */
export function useRefusals(
  problem: Problem | undefined,
  refuse: (faults: Faults) => void,
  within = '',
): Problem | undefined {
  const faults = faultsOf(problem?.faults, within);
  const isPlaced = Object.keys(faults).length > 0;
  useEffect(() => {
    if (isPlaced) refuse(faults);
  }, [problem]);
  return isPlaced ? undefined : problem;
}
