import type { Cause, Consequence } from './causes.ts';
import { keyText } from './facts.ts';
import type { Candidate, Explanation, Route } from './routing.ts';

/** A candidate that was called: with a cause and its consequence, unless it gave the user a connection. */
export type Step = { candidate: Candidate } & (
  | { cause: Cause; consequence: Consequence }
  | { cause?: never }
);

/** One line of the explanation of a request: what the route says about a member, or what its call has shown. */
export type TraceStep = Omit<Explanation, 'outcome'> & {
  outcome: Explanation['outcome'] | 'passed_over' | 'final';
};

const outcomeOf = { next: 'passed_over', remove: 'excluded', end: 'final', hold: 'final' } as const;

/**
 * The steps of a request in their order: the members that were called, then the others as the route explains them. The
 * last member that was called is the answer, unless it was removed.
 */
export function traceOf({ explain }: Pick<Route, 'explain'>, steps: readonly Step[]): TraceStep[] {
  const last = steps.findLast((step) => step.cause === undefined || step.consequence !== 'remove');
  const called = new Map(steps.map((step) => [keyText(step.candidate), step]));
  const placed = new Map(explain.map((one) => [keyText(one), one]));
  return [
    ...steps.flatMap((step): TraceStep[] => {
      const place = placed.get(keyText(step.candidate));
      if (!place) return [];
      if (step.cause === undefined) return [{ ...place, outcome: 'chosen' }];
      const outcome = step === last ? 'final' : outcomeOf[step.consequence];
      return [{ ...place, step: 'call', outcome, reason: step.cause }];
    }),
    ...explain.filter((one) => !called.has(keyText(one))),
  ];
}
