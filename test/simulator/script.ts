import { type Knobs, noFaults } from './faults.ts';

/** Faults that stand for a while; without any the node is well meanwhile. */
export type Step = { forMs: number; faults?: Partial<Knobs> };

export type Playing = {
  /** Ends the script; the node is as the last step left it. */
  stop(): void;
  /** Settles when a script that does not repeat has ended. */
  ended: Promise<void>;
};

/** Turns a node's knobs one step after the other. @param repeats from the beginning, until it is stopped */
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

/** Well and not well in turns. */
export const flap = (knobs: Knobs, eachMs: number, faults: Partial<Knobs>): Playing =>
  playFaults(knobs, [{ forMs: eachMs, faults }, { forMs: eachMs }], true);
