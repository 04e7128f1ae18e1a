import { useQueryClient } from '@tanstack/preact-query';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Kind } from '../../records/kinds.ts';
import { forgetKind } from '../../records/record/use-record.ts';
import { type Job, type Outcomes, runJobs } from './run-jobs.ts';

export type Run = {
  state: 'waiting' | 'running' | 'stopping' | 'ended';
  outcomes: Outcomes;
  /** Sends the requests. Earlier outcomes of their records are replaced. */
  start: (jobs: readonly Job[]) => Promise<Outcomes>;
  /** Sends no further requests. */
  stop: () => void;
};

/** The progress of requests for several records. */
export function useRun(kind: Kind): Run {
  const client = useQueryClient();
  const [state, setState] = useState<Run['state']>('waiting');
  const [outcomes, setOutcomes] = useState<Outcomes>(new Map());
  const control = useRef<AbortController | undefined>(undefined);
  // The page was left: no further requests.
  useEffect(() => () => control.current?.abort(), []);
  const start = async (jobs: readonly Job[]): Promise<Outcomes> => {
    const current = new Map(outcomes);
    for (const key of jobs.flatMap(({ keys }) => keys)) current.delete(key);
    const running = new AbortController();
    control.current = running;
    setOutcomes(new Map(current));
    setState('running');
    const add = (more: Outcomes) => {
      for (const [key, outcome] of more) current.set(key, outcome);
      setOutcomes(new Map(current));
    };
    await runJobs(jobs, add, running.signal);
    setState('ended');
    await forgetKind(client, kind.type);
    return current;
  };
  const stop = () => {
    control.current?.abort();
    setState((old) => (old === 'running' ? 'stopping' : old));
  };
  return { state, outcomes, start, stop };
}
