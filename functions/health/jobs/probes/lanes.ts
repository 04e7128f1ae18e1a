import type { Timing } from '../process/timing.ts';

/** Time limit of the probe of one node, independent of the time limit of its calls. */
export const longestMs = 5_000;
/**
 * Time limit of the probe of a failing node, and the time after which the probe of a healthy node moves to the lane
 * of failing nodes.
 */
export const sickLimitMs = 2_000;

/** Concurrent probes of failing nodes. Probes that move to the lane are not limited by this number. */
const sickSlots = 200;
/** Bounds of the number of slots for healthy nodes. The upper bound limits the number of open sockets. */
const minSlots = 6;
const maxSlots = 250;
const headroom = 1.25;

type Fleet = { nodes: number; intervalMs: number };

/** Two lanes with separate slots, so that unresponsive nodes do not delay the probes of the others. */
export type Lanes = {
  hasRoom(isSick: boolean): boolean;
  /**
   * Takes a slot. The probe of a healthy node frees it after `sickLimitMs` at the latest.
   * @param onRoom is called if the slot is freed before the probe ends
   * @returns a function that frees the slot
   */
  enter(isSick: boolean, onRoom: () => void): () => void;
};

/**
 * Returns the number of slots that meets the interval even if every healthy node takes the full time it can spend in
 * the lane. A typical probe takes a fraction of that time, so usually the schedule, not this limit, determines the
 * concurrency.
 */
export const healthySlots = ({ nodes, intervalMs }: Fleet): number =>
  Math.min(maxSlots, Math.max(minSlots, Math.ceil((headroom * nodes * sickLimitMs) / intervalMs)));

export function createLanes(timing: Timing, fleet: () => Fleet): Lanes {
  const running = { healthy: 0, sick: 0 };
  return {
    hasRoom: (isSick) => (isSick ? running.sick < sickSlots : running.healthy < healthySlots(fleet())),
    enter: (isSick, onRoom) => {
      let lane: keyof typeof running = isSick ? 'sick' : 'healthy';
      running[lane]++;
      const move = (): void => {
        running.healthy--;
        running.sick++;
        lane = 'sick';
        onRoom();
      };
      const cancelMove = isSick ? () => undefined : timing.after(sickLimitMs, move);
      return () => {
        cancelMove();
        running[lane]--;
      };
    },
  };
}
