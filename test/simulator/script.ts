import { type Knobs, noFaults } from './faults.ts';

/** Faults for a duration; without any the node works meanwhile. */
export type Step = { forMs: number; faults?: Partial<Knobs> };

export type Playing = {
  /** Ends the script; the node keeps the faults of the last step. */
  stop(): void;
  /** Settles when a script that does not repeat has ended. */
  ended: Promise<void>;
};

/** Applies faults to a node step by step. @param repeats from the beginning, until it is stopped */
export function playFaults(knobs: Knobs, steps: readonly Step[], repeats = false): Playing {
  const well: Knobs = { ...noFaults(), ...knobs };
  const ended = Promise.withResolvers<void>();
  let timer: NodeJS.Timeout | undefined;
  const play = (at: number): void => {
    const step = steps[repeats ? at % steps.length : at];
    if (step) {
      Object.assign(knobs, well, step.faults);
      timer = setTimeout(play, step.forMs, at + 1);
    } else ended.resolve();
  };
  play(0);
  return { stop: () => clearTimeout(timer), ended: ended.promise };
}

/** Failing and working in turns. */
export const flap = (knobs: Knobs, eachMs: number, faults: Partial<Knobs>): Playing =>
  playFaults(knobs, [{ forMs: eachMs, faults }, { forMs: eachMs }], true);
