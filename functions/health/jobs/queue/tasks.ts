import type { Clock } from '../../../../shared/kernel/clock.ts';
import type { AgendaReader, Task } from '../process/agenda.ts';
import type { AnyWorker, Queue } from './queue.ts';

/** Wakes the workers of jobs that are due: new ones, and those whose next attempt is due. */
export const wakeTask = (reader: Pick<AgendaReader, 'current'>, queue: () => Queue | undefined): Task => ({
  name: 'queue',
  intervalMs: () => 500,
  changesAgenda: false,
  dueIn: (agenda) => {
    const times = Object.values(agenda.queue);
    return queue() && times.length > 0 ? Math.min(...times) : null;
  },
  round: async () => {
    const known = reader.current();
    const elapsedMs = known ? performance.now() - known.at : 0;
    const due = Object.entries(known?.agenda.queue ?? {}).filter(([, dueMs]) => dueMs <= elapsedMs);
    queue()?.wake(due.map(([kind]) => kind));
  },
});

const hourMs = 3_600_000;

/** Orders the hourly jobs, and deletes jobs that ended long ago. */
export function hourlyTask(
  workers: readonly AnyWorker[],
  queue: () => Queue | undefined,
  clock: Clock,
): Task {
  const kinds = workers.flatMap(({ kind: { name, hourlyAt } }) =>
    hourlyAt === undefined ? [] : [{ name, hourlyAt }],
  );
  let checkedAt = clock();
  return {
    name: 'hourly jobs',
    intervalMs: () => 10_000,
    round: async () => {
      const running = queue();
      const now = clock();
      const due = kinds.filter(({ hourlyAt }) => lastTimeOf(hourlyAt, now) > checkedAt.getTime());
      if (!running || due.length === 0) return;
      for (const { name } of due) await running.boss.send(name, {});
      await running.boss.supervise();
      checkedAt = now;
    },
  };
}

/** The last full hour plus `minute`, in UTC. */
function lastTimeOf(minute: number, now: Date): number {
  const at = now.getTime() - (now.getTime() % hourMs) + minute * 60_000;
  return at <= now.getTime() ? at : at - hourMs;
}
