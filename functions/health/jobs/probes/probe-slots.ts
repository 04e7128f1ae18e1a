import type { Timing } from '../process/timing.ts';

/** Time limit of the probe of one node, independent of the time limit of its calls. */
export const longestMs = 5_000;
/**
 * Time limit of the probe of a failing node, and the time after which the probe of a healthy node counts as that
 * of a failing one.
 */
export const failingLimitMs = 2_000;

/** Concurrent probes of failing nodes. Probes of healthy nodes that exceed the limit are not limited by this number. */
const failingSlots = 200;
/** Bounds of the number of slots for healthy nodes. The upper bound limits the number of open sockets. */
const minSlots = 6;
const maxSlots = 250;
const headroom = 1.25;

type Fleet = { nodes: number; intervalMs: number };

/**
 * Separate concurrency limits for healthy and failing nodes (bulkheads), so that unresponsive nodes do not delay the
 * probes of the others.
 */
export type ProbeSlots = {
  hasFreeSlot(isFailing: boolean): boolean;
  /**
   * Takes a slot. The probe of a healthy node frees it after `failingLimitMs` at the latest.
   * @param onFreeSlot is called if the slot is freed before the probe ends
   * @returns a function that frees the slot
   */
  enter(isFailing: boolean, onFreeSlot: () => void): () => void;
};

/**
 * Returns the number of slots that meets the interval even if every probe of a healthy node holds its slot for
 * `failingLimitMs`. A typical probe takes a fraction of that time, so usually the schedule, not this limit, determines
 * the concurrency.
 */
export const healthySlots = ({ nodes, intervalMs }: Fleet): number =>
  Math.min(maxSlots, Math.max(minSlots, Math.ceil((headroom * nodes * failingLimitMs) / intervalMs)));

export function createProbeSlots(timing: Timing, fleet: () => Fleet): ProbeSlots {
  const running = { healthy: 0, failing: 0 };
  return {
    hasFreeSlot: (isFailing) =>
      isFailing ? running.failing < failingSlots : running.healthy < healthySlots(fleet()),
    enter: (isFailing, onFreeSlot) => {
      let slotKind: keyof typeof running = isFailing ? 'failing' : 'healthy';
      running[slotKind]++;
      const move = (): void => {
        running.healthy--;
        running.failing++;
        slotKind = 'failing';
        onFreeSlot();
      };
      const cancelMove = isFailing ? () => undefined : timing.after(failingLimitMs, move);
      return () => {
        cancelMove();
        running[slotKind]--;
      };
    },
  };
}
