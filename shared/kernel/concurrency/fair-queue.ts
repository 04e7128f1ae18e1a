import { AppError } from '../errors.ts';

/** The line in which a caller waits, and the owner of its work. */
export type QueuePosition<Line extends string> = { line: Line; owner: string };

/** Runs the work immediately if a slot is free, otherwise when its turn comes. */
export type FairQueue<Line extends string> = <T>(
  place: QueuePosition<Line>,
  work: () => PromiseLike<T>,
) => Promise<T>;

type Waiter = { start(): void; refuse(error: AppError): void };
type Queue = { owners: Map<string, Waiter[]>; length: number; share: number; served: number };

/**
 * A fair semaphore: at most `width` units of work run at once. Further callers wait in lines of at most `most`
 * entries. Slots are divided between the lines that have waiters in proportion to their shares (weighted fair
 * queuing), and within a line its owners take turns. If a line is full, the owner with the most waiters in it loses
 * the last one to an owner with fewer, so that one owner cannot fill the line.
 * @param shares weight of each line
 * @throws AppError `overloaded` for a caller that does not fit into its line, or is displaced from it
 */
export function createFairQueue<Line extends string>(
  width: number,
  maxWaiting: number,
  shares: Readonly<Record<Line, number>>,
): FairQueue<Line> {
  let running = 0;
  /** Virtual time: the `served` counter of the line that was served last. */
  let served = 0;
  const queues = new Map(Object.entries<number>(shares).map(([line, share]) => [line, emptyQueue(share)]));

  const wait = ({ line, owner }: QueuePosition<Line>): Promise<void> =>
    new Promise((resolve, reject) => {
      const queue = queues.get(line);
      if (!queue || (queue.length >= maxWaiting && !makeRoom(queue, owner)))
        return reject(new AppError('overloaded'));
      // An idle line does not accumulate credit.
      if (queue.length === 0) queue.served = Math.max(queue.served, served);
      add(queue, owner, { start: resolve, refuse: reject });
    });

  const callNext = (): void => {
    const queue = leastServed([...queues.values()]);
    if (!queue) return void running--;
    served = queue.served;
    queue.served += 1 / queue.share;
    takeFirst(queue)?.start();
  };

  return async function turn(place, work) {
    if (running >= width) await wait(place);
    else running++;
    try {
      return await work();
    } finally {
      // The slot passes to the next waiter and becomes free only if the queue is empty.
      callNext();
    }
  };
}

const emptyQueue = (share: number): Queue => ({ owners: new Map(), length: 0, share, served: 0 });

const leastServed = (queues: readonly Queue[]): Queue | undefined =>
  queues.filter(({ length }) => length > 0).sort((a, b) => a.served - b.served)[0];

function add(queue: Queue, owner: string, one: Waiter): void {
  queue.owners.set(owner, [...(queue.owners.get(owner) ?? []), one]);
  queue.length++;
}

/** Removes the first waiter of the next owner and moves the owner to the end; a `Map` iterates in insertion order. */
function takeFirst(queue: Queue): Waiter | undefined {
  const [first] = queue.owners;
  if (!first) return undefined;
  const [owner, [next, ...others]] = first;
  queue.owners.delete(owner);
  if (others.length > 0) queue.owners.set(owner, others);
  queue.length--;
  return next;
}

/** @returns false if no other owner has at least two more waiters in the line than this one */
function makeRoom(queue: Queue, owner: string): boolean {
  const [longest] = [...queue.owners].sort(([, a], [, b]) => b.length - a.length);
  const own = queue.owners.get(owner)?.length ?? 0;
  if (!longest || longest[1].length <= own + 1) return false;
  longest[1].pop()?.refuse(new AppError('overloaded'));
  queue.length--;
  return true;
}
