import type { Authentication } from './calls/auth.ts';
import type { DispatcherState } from './data/state.ts';
import type { Knobs } from './faults.ts';

/** One node of a farm, the context of its calls. */
export type Node = {
  readonly name: string;
  readonly healthKey: string;
  readonly state: DispatcherState;
  readonly knobs: Knobs;
  readonly authentication: Authentication;
  /** Owners of the session keys that were logged out, in order: `aggregator` or `domain\\name`. */
  readonly loggedOut: string[];
};

/** The current time of the node's own clock, which may be wrong. */
export const nodeTime = ({ clockSkewS }: Knobs, at = Date.now()): Date => new Date(at + clockSkewS * 1000);
