import { useState } from 'preact/hooks';
import { PortalError } from '../../client/refusals.ts';
import { type Problem, problemOf } from './problem.ts';

/** The state of one request at a time: whether it runs, and why the last one failed. */
export function useRequest() {
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setBusy] = useState(false);
  /** @throws errors that are not of the portal */
  const run = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      await work();
    } catch (error) {
      if (!(error instanceof PortalError)) throw error;
      setProblem(problemOf(error));
    } finally {
      setBusy(false);
    }
  };
  return { problem, isBusy, run };
}
