import type { Db } from '../../../../db/client.ts';
import type { OutboxJob } from '../../../../db/repositories/jobs/outbox.ts';
import { moveFromOutbox } from '../../../../db/repositories/jobs/outbox-relay.ts';
import type { Task } from '../process/agenda.ts';
import type { Queue } from './queue.ts';

/** Jobs per transaction. */
const atOnce = 100;

/**
 * Moves jobs from the outbox to the queue. Kinds of jobs that this version does not support stay in
 * the outbox.
 */
export const outboxJob = (db: Db, queue: () => Queue | undefined): Task => ({
  name: 'outbox',
  intervalMs: () => 500,
  dueIn: ({ outbox }) => (outbox.some((kind) => queue()?.kinds.includes(kind)) ? 0 : null),
  round: async (signal) => {
    const running = queue();
    if (!running) return;
    for (let moved = atOnce; moved === atOnce && !signal.aborted; ) moved = await moveSome(db, running);
  },
});

async function moveSome(db: Db, { boss, kinds, wake }: Queue): Promise<number> {
  const moved = await moveFromOutbox(db, kinds, atOnce, (kind, jobs, engine) =>
    boss.insert(kind, jobs.map(insertOf), { db: engine }),
  );
  wake(moved);
  return moved.length;
}

const insertOf = ({ id, payload, start_after }: OutboxJob) => ({
  id,
  data: payload,
  ...(start_after && { startAfter: start_after }),
});
