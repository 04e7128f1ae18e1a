import { useRef, useState } from 'preact/hooks';
import { PortalError } from '../../client/refusals.ts';
import { type Problem, problemOf } from './problem.ts';

/** The state of one request at a time: whether it runs, and why the last one failed. */
export function useRequest() {
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setBusy] = useState(false);
  // The state changes with the next drawing, and a second click can come before that.
  const isRunning = useRef(false);
  /**
   * Does nothing while an earlier request runs.
   * @throws errors that are not of the portal
   */
  const run = async (work: () => Promise<void>): Promise<void> => {
    if (isRunning.current) return;
    isRunning.current = true;
    setBusy(true);
    setProblem(undefined);
    try {
      await work();
    } catch (error) {
      if (!(error instanceof PortalError)) throw error;
      setProblem(problemOf(error));
    } finally {
      isRunning.current = false;
      setBusy(false);
    }
  };
  const forget = (): void => setProblem(undefined);
  return { problem, isBusy, run, forget };
}
