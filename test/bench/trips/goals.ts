import type { GoalFigure } from '../goals.ts';
import type { TripsFigures } from './figures.ts';

const limitsMs = { read: 50, hashing: 130 };
const clientsPerS = 1_500;

/** The slowest signed-in read, the operations with a password hash, and the throughput of many clients. */
export function tripGoals({ operations, clients, pool_size, userinfo, before }: TripsFigures): GoalFigure[] {
  const reads = operations.filter(({ isRead }) => isRead);
  const slowest = (of: (one: TripsFigures['operations'][number]) => number) => Math.max(...reads.map(of));
  return [
    {
      name: 'distant: slowest read, p50 ms',
      ...{ goal: limitsMs.read, better: 'less', measured: slowest(({ p50_ms }) => p50_ms) },
      ...(before && { before: slowest((one) => one.before?.p50_ms ?? 0) }),
    },
    ...operations
      .filter(({ hashes }) => hashes)
      .map(
        (one): GoalFigure => ({
          name: `distant: ${one.name} without hash, ms`,
          ...{ goal: limitsMs.hashing, better: 'less', measured: one.p50_ms },
          ...(one.before && { before: one.before.p50_ms }),
        }),
      ),
    {
      name: `distant: ${clients} clients, pool of ${pool_size}, /s`,
      ...{ goal: clientsPerS, better: 'more', measured: userinfo.requests_per_s },
      ...(before && { before: before.userinfo.requests_per_s }),
    },
  ];
}
