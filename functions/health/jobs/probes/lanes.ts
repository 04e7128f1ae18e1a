import type { Timing } from '../process/timing.ts';

/** Longest probe of one node, however long its calls may take otherwise. */
export const longestMs = 5_000;
/** Limit of a probe of a sick node, and time after which a probe of a healthy one moves to the lane of the sick. */
export const sickLimitMs = 2_000;

/** Probes of sick nodes that run at once; those that move there are not counted against it. */
const sickSlots = 200;
/** Bounds of the places for healthy nodes; the upper one keeps the number of open sockets limited. */
const fewestSlots = 6;
const mostSlots = 250;
const headroom = 1.25;

type Fleet = { nodes: number; intervalMs: number };

/** Two lanes with separate places, so that nodes that hang do not delay the probes of the others. */
export type Lanes = {
  hasRoom(isSick: boolean): boolean;
  /**
   * Takes a place. A probe of a healthy node gives it back after `sickLimitMs` at the latest.
   * @param onRoom is called when that happens before the probe ends
   * @returns what gives the place back
   */
  enter(isSick: boolean, onRoom: () => void): () => void;
};

/**
 * As many places as meet the interval even if every healthy node takes all the time that it may spend in the lane. The
 * usual probe takes a fraction of it: the schedule, not this limit, decides how many run at once.
 */
export const healthySlots = ({ nodes, intervalMs }: Fleet): number =>
  Math.min(mostSlots, Math.max(fewestSlots, Math.ceil((headroom * nodes * sickLimitMs) / intervalMs)));

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
