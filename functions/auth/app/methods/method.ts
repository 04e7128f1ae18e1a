import type { Outcome } from '../flow.ts';

export type MethodProps = {
  onOutcome: (outcome: Outcome) => void;
  /** The page is being left. */
  isLeaving: boolean;
};
