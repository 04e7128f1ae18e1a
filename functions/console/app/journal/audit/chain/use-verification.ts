import { useEffect, useRef, useState } from 'preact/hooks';
import { portal } from '../../../../../../shared/web/client/session.ts';
import { type Problem, problemOf } from '../../../../../../shared/web/problems/problem.ts';

export type Verification = {
  state: 'idle' | 'running' | 'stopped' | 'good' | 'broken' | 'failed';
  /** Events that were checked. */
  checked: number;
  /** Position of the last sealed event. */
  sealedTo: number;
  /** Position of the first event that is not as it was sealed. */
  firstBad?: number;
  problem?: Problem;
  endedAt?: Date;
};

/** The portal verifies 100,000 events in about a second, but not on a busy database. */
const limitMs = 120_000;

const nothing: Verification = { state: 'idle', checked: 0, sealedTo: 0 };

/** Verifies the whole chain, one part of it in each request. A stopped or failed run continues where it ended. */
export function useVerification() {
  const [current, setCurrent] = useState<Verification>(nothing);
  const control = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => control.current?.abort(), []);
  const run = async (checked: number): Promise<void> => {
    control.current?.abort();
    const own = new AbortController();
    control.current = own;
    const { signal } = own;
    let state: Verification = { ...nothing, state: 'running', checked };
    const show = (next: Partial<Verification>) => {
      state = { ...state, ...next };
      setCurrent(state);
    };
    show({});
    try {
      while (state.state === 'running') show(await next(state.checked, signal));
    } catch (error) {
      show(signal.aborted ? { state: 'stopped' } : { state: 'failed', problem: problemOf(error) });
    }
  };
  return {
    current,
    start: () => void run(0),
    resume: () => void run(current.checked),
    stop: () => control.current?.abort(),
  };
}

async function next(checked: number, signal: AbortSignal): Promise<Partial<Verification>> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
  const answer = await portal.call('audit.verify', { query: { from: checked + 1 } }, { signal: limited });
  const { ok, sealed_to: sealedTo, first_bad } = answer;
  const endedAt = new Date();
  if (!ok)
    return {
      state: 'broken',
      sealedTo,
      checked: (first_bad ?? 1) - 1,
      endedAt,
      ...(first_bad !== undefined && { firstBad: first_bad }),
    };
  const reached = checked + answer.checked;
  // Without an event there would be no end.
  const hasEnded = reached >= sealedTo || answer.checked === 0;
  return { sealedTo, checked: reached, ...(hasEnded && { state: 'good', endedAt }) };
}
